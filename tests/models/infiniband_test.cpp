// InfiniBand against the specification's rates and published payload ceilings.

#include "models/infiniband.hpp"

#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

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
    CHECK(25 * infiniband::efficiency({4096}) == Approx(24.84).epsilon(0.001));
    CHECK(50 * infiniband::efficiency({4096}) == Approx(49.69).epsilon(0.001));
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
        const double share = infiniband::efficiency({row.mtu});
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

TEST_CASE("credits of 128 KiB cover about 240 m at 400 Gb/s") {
    CHECK(infiniband::credit_limit == Bytes{128 * 1024});
    const double metres = infiniband::credit_reach_metres(Rate::megabits(400'000), {4096}, nanoseconds(100), 5e-9);
    CHECK(metres == Approx(244).margin(10));
    CHECK(infiniband::credit_reach_metres(Rate::megabits(800'000), {4096}, microseconds(2), 5e-9) == 0);
}

TEST_CASE("trees of switches reach r, r^2/2 and r^3/4 hosts") {
    for (const int radix : {36, 40, 64, 144}) {
        const std::int64_t r = radix;
        CHECK(infiniband::tree_height(r, radix) == 1);
        CHECK(infiniband::tree_height(r + 1, radix) == 2);
        CHECK(infiniband::tree_height(r * r / 2, radix) == 2);
        CHECK(infiniband::tree_height(r * r / 2 + 1, radix) == 3);
        CHECK(infiniband::tree_height(r * r * r / 4, radix) == 3);
    }
}

TEST_CASE("SHARP reduces 8 B over 128 EDR nodes in about 2.8 us, and long vectors at 95 percent of the link") {
    const NicSpec nic = nic_spec(testing::part("nic", "connectx-5"));
    const SwitchSpec edr = switch_spec(testing::part("switch", "switch-ib-2"));
    infiniband::SharpTree tree{.height = infiniband::tree_height(128, edr.radix),
                               .switch_latency = edr.latency,
                               .link_latency = link("infiniband-edr").latency + nanoseconds(50),  // 10 m of fibre
                               .nic_latency = nic.transmit_latency + nic.receive_latency,
                               .aggregation = nanoseconds(400),
                               .link_bandwidth = goodput(link("infiniband-edr"))};
    CHECK(tree.height == 2);
    CHECK(infiniband::sharp_all_reduce_seconds(tree, {8}) == Approx(2.8e-6).epsilon(0.2));
    const double gibibyte = infiniband::sharp_all_reduce_seconds(tree, {1 << 30});
    CHECK((1 << 30) / gibibyte == Approx(0.95 * goodput(link("infiniband-edr"))).epsilon(0.001));
}

}  // namespace
}  // namespace fabricast
