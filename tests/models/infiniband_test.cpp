// InfiniBand against the specification's rates and published payload ceilings.

#include "models/infiniband.hpp"

#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

using testing::payload_share;

LinkSpec link(std::string_view name) { return link_spec(testing::part("link", name)); }

TEST_CASE("each generation carries the specified data rate") {
    struct Row {
        const char* name;
        std::int64_t megabits;
    };
    const Row rows[] = {{"infiniband-sdr", 8'000},    {"infiniband-ddr", 16'000},     {"infiniband-qdr", 32'000},
                        {"infiniband-fdr10", 40'000}, {"infiniband-edr", 100'000},    {"infiniband-hdr100", 100'000},
                        {"infiniband-hdr", 200'000},  {"infiniband-ndr200", 200'000}, {"infiniband-ndr", 400'000},
                        {"infiniband-xdr", 800'000}};
    for (const Row& row : rows) {
        INFO(row.name);
        CHECK(link(row.name).rate == Rate::megabits(row.megabits));
    }
    CHECK(link("infiniband-fdr").rate.bytes_per_second() * 8 / 1e9 == Approx(54.54).epsilon(0.0002));
}

TEST_CASE("NDR200 is 25 GB/s and XDR is 100") {
    CHECK(link("infiniband-ndr200").rate.bytes_per_second() == 25e9);
    CHECK(link("infiniband-xdr").rate.bytes_per_second() == 100e9);
}

TEST_CASE("HDR and NDR ports carry 24.84 and 49.69 GB/s of payload at MTU 4096") {
    CHECK(25 * payload_share(infiniband::framing({4096})) == Approx(24.84).epsilon(0.001));
    CHECK(50 * payload_share(infiniband::framing({4096})) == Approx(49.69).epsilon(0.001));
}

TEST_CASE("the share of payload follows the MTU") {
    struct Row {
        std::int64_t mtu;
        double share, edr, hdr, ndr, xdr;  // GB/s
    };
    const Row rows[] = {{256, 0.908, 11.35, 22.70, 45.39, 90.8},
                        {1024, 0.975, 12.19, 24.38, 48.76, 97.5},
                        {2048, 0.988, 12.34, 24.69, 49.37, 98.7},
                        {4096, 0.994, 12.42, 24.84, 49.69, 99.4}};
    for (const Row& row : rows) {
        INFO("MTU " << row.mtu);
        const double share = payload_share(infiniband::framing({row.mtu}));
        CHECK(share == Approx(row.share).margin(0.0006));
        CHECK(12.5 * share == Approx(row.edr).margin(0.006));
        CHECK(25 * share == Approx(row.hdr).margin(0.006));
        CHECK(50 * share == Approx(row.ndr).margin(0.006));
        CHECK(100 * share == Approx(row.xdr).margin(0.06));
    }
}

TEST_CASE("write bandwidth lies in the range that ib_write_bw prints") {
    CHECK(goodput(link("infiniband-edr")) * 8e-9 == Approx(97.25).margin(1.75));  // 96 to 98.5 Gb/s... and rounding
    CHECK(goodput(link("infiniband-hdr")) * 8e-9 == Approx(196).margin(2));       // 194 to 198
    CHECK(goodput(link("infiniband-ndr")) * 8e-9 == Approx(388).margin(8));       // 380 to 396
}

TEST_CASE("on a 100 Gb/s link TCP, RoCE and InfiniBand rank as their headers say") {
    const double tcp = 100 * 1460.0 / 1538;  // MTU 1500
    const double roce = goodput(link("ethernet-100g")) * 8e-9;
    const double ib = goodput(link("infiniband-edr")) * 8e-9;
    CHECK(tcp == Approx(94.9).margin(0.1));
    CHECK(roce > 95);
    CHECK(roce < 98);
    CHECK(ib > 95);
    CHECK(ib < 99.4);
    CHECK(roce < ib);
}

TEST_CASE("a lane has at most 128 KiB of credits") { CHECK(infiniband::credit_limit == Bytes{128 * 1024}); }

}  // namespace
}  // namespace fabricast
