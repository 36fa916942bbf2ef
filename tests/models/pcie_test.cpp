// PCI Express against the specification's rates and what has been measured on machines.

#include "models/pcie.hpp"

#include "models/link_figures.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pcie_bandwidth.hpp"

namespace fabricast {
namespace {

using testing::read_bandwidth;
using testing::write_bandwidth;

PcieSpec pcie(std::string_view name) { return pcie_spec(testing::part("link", name)); }

double gigabytes(double bytes_per_second) { return bytes_per_second / 1e9; }

struct Generation {
    const char* name;
    double x16;      // GB/s after encoding
    double payload;  // GB/s of writes at MaxPayloadSize 256 without control traffic
};

// Base Specification 5.0 §4.2 and 6.0 §4.2.3; writes: 256 / (256 + 24), from generation 6 on 256 / (256 + 16).
const Generation generations[] = {{"pcie-gen1", 4.00, 3.66},    {"pcie-gen2", 8.00, 7.31},
                                  {"pcie-gen3", 15.754, 14.40}, {"pcie-gen4", 31.508, 28.81},
                                  {"pcie-gen5", 63.015, 57.61}, {"pcie-gen6", 118.0, 111.06},
                                  {"pcie-gen7", 236.0, 222.12}};

TEST_CASE("sixteen lanes of each generation carry the published rate") {
    for (const Generation& g : generations) {
        INFO(g.name);
        CHECK(gigabytes(pcie(g.name).link.rate.bytes_per_second()) == Approx(g.x16).epsilon(0.001));
    }
}

TEST_CASE("writes at MaxPayloadSize 256 carry the payload that headers leave") {
    for (const Generation& g : generations) {
        INFO(g.name);
        PcieSpec link = pcie(g.name);
        link.link.usable = 1;
        CHECK(gigabytes(write_bandwidth(link, {1 << 20})) == Approx(g.payload).epsilon(0.001));
    }
}

TEST_CASE("the share of payload follows MaxPayloadSize") {
    struct Row {
        std::int64_t payload;
        double write, completion, flit_write;
    };
    const Row rows[] = {
        {64, 0.727, 0.762, 0.800}, {128, 0.842, 0.865, 0.889}, {256, 0.914, 0.927, 0.941}, {512, 0.955, 0.962, 0.970}};
    for (const Row& row : rows) {
        INFO("MaxPayloadSize " << row.payload);
        CHECK(pcie::efficiency({row.payload}, pcie::write_overhead(5)) == Approx(row.write).margin(0.0006));
        CHECK(pcie::efficiency({row.payload}, pcie::completion_overhead(5)) == Approx(row.completion).margin(0.0006));
        CHECK(pcie::efficiency({row.payload}, pcie::write_overhead(6)) == Approx(row.flit_write).margin(0.0006));
    }
}

TEST_CASE("generation 3 is 32 GB/s both ways before encoding and 15.75 each way after") {
    const Part& part = testing::part("link", "pcie-gen3");
    CHECK(2 * part.number("signalling", "T/s") * 16 / 8 == 32e9);
    CHECK(gigabytes(line_rate(part).bytes_per_second()) == Approx(15.75).epsilon(0.001));
}

TEST_CASE("generations 4, 5 and 6 carry 31.5, 63.0 and 118 GB/s per direction, not both ways") {
    CHECK(gigabytes(pcie("pcie-gen4").link.rate.bytes_per_second()) == Approx(31.51).epsilon(0.001));
    CHECK(gigabytes(pcie("pcie-gen5").link.rate.bytes_per_second()) == Approx(63.02).epsilon(0.001));
    CHECK(gigabytes(pcie("pcie-gen6").link.rate.bytes_per_second()) == Approx(118.0).epsilon(0.01));
}

TEST_CASE("copies measured on machines lie where the model puts them") {
    // nvbandwidth on 8 x H200: 55.43 GB/s host to device on generation 5.
    CHECK(gigabytes(write_bandwidth(pcie("pcie-gen5"), {1 << 30})) == Approx(55.43).epsilon(0.01));
    // 25.9 to 26.2 on generation 4, 12.0 to 13.2 on generation 3: the copy engine loses some more.
    CHECK(gigabytes(write_bandwidth(pcie("pcie-gen4"), {1 << 30})) == Approx(26.0).epsilon(0.07));
    CHECK(gigabytes(write_bandwidth(pcie("pcie-gen3"), {1 << 30})) == Approx(12.6).epsilon(0.11));
}

TEST_CASE("width scales rate exactly") {
    for (const Generation& g : generations) {
        const Rate one = pcie(std::string(g.name) + "-x1").link.rate;
        for (const int lanes : {2, 4, 8, 16}) {
            const PcieSpec wide = pcie(std::string(g.name) + "-x" + std::to_string(lanes));
            CHECK(wide.lanes == lanes);
            CHECK(wide.link.rate == Rate(one.num * lanes, one.den));
        }
        CHECK(pcie(std::string(g.name) + "-x16").link.rate == pcie(g.name).link.rate);
    }
}

TEST_CASE("reads are bound by what their tags keep in flight") {
    const PcieSpec link = pcie("pcie-gen5");
    const auto with_tags = [&](int tags) { return read_bandwidth(link, {1 << 20}, tags, nanoseconds(1000)); };
    CHECK(with_tags(32) == Approx(32 * 512 / 1e-6));  // 16.4 GB/s whatever the line
    CHECK(gigabytes(with_tags(768)) == Approx(63.015 * 0.965 * 256 / 276).epsilon(0.001));
    // Generation 4 at a microsecond needs 31.5 KB in flight: 62 reads of 512 B.
    CHECK(62.0 * 512 == Approx(pcie("pcie-gen4").link.rate.bytes_per_second() * 1e-6).epsilon(0.01));
}

TEST_CASE("a host bridge that splits into 64 B TLPs costs a fifth of a write") {
    const PcieSpec link = pcie("pcie-gen4");
    CHECK(write_bandwidth(link, {64}) / write_bandwidth(link, {256}) == Approx(0.727 / 0.914).epsilon(0.001));
}

TEST_CASE("both directions at once share the root port's service") {
    // 26 GB/s alone, 18.4 to 19.6 each way together (nvbandwidth).
    const double share = testing::part("cpu", "epyc-rome").number("duplex.share");
    CHECK(duplex_capacity(26e9, share) / 2 > 18.4e9);
    CHECK(duplex_capacity(26e9, share) / 2 < 19.6e9);
}

}  // namespace
}  // namespace fabricast
