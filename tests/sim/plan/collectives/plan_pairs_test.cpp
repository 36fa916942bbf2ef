// Sends and receives inside a node and between nodes: protocols, copies and blocks.

#include <string>

#include "tests/sim/plan/collectives/planned_system.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("a pair inside a node goes by LL at the pace of LL's channels, and by Simple beyond") {
    // A shift over eight B200: 20.9 and 32.1 us for 256 and 512 KiB (validate/held-out, vultr-b200-1n8g-sendrecv).
    const PlannedSystem shift{.node = "dgx-b200", .collective = Collective::sendrecv};
    CHECK(plan_of(shift, 512 * KiB).protocol == Protocol::ll);
    CHECK(plan_of(shift, 512 * KiB).channels == 4);
    CHECK(plan_of(shift, 512 * KiB + 1).protocol == Protocol::simple);
    const double rate = catalogue().parts.at("nccl-blackwell-nvswitch").number("ll.channel_rate");
    CHECK(seconds_of(shift, 512 * KiB) - seconds_of(shift, 256 * KiB) == Approx(64 * KiB / rate).epsilon(0.05));
    CHECK(plan_of({.node = "dgx-b200", .nodes = 2, .collective = Collective::sendrecv}, 8).protocol ==
          Protocol::simple);
}

TEST_CASE("a pair begins with a hop of its protocol, and of Simple copies its last chunk") {
    // Two A100 on PCIe take 17.3 us for 32 KiB by LL and 24.9 for 64 KiB by Simple (a100pcie-1n2g-extpcie-sendrecv).
    const PlannedSystem shift{.node = "dgx-b200", .collective = Collective::sendrecv};
    const auto costs = [&](std::int64_t bytes, const char* part, const char* figure) {
        return seconds_of(shift, bytes, with(part, figure, 2)) - seconds_of(shift, bytes);
    };
    const Part& kernels = catalogue().parts.at("nccl-blackwell-nvswitch");
    CHECK(costs(32 * KiB, "nccl-blackwell-nvswitch", "ll.hop") == Approx(kernels.number("ll.hop")));
    CHECK(costs(MiB, "nccl-blackwell-nvswitch", "simple.hop") == Approx(kernels.number("simple.hop")));
    CHECK(costs(32 * KiB, "nccl-blackwell-nvswitch", "simple.hop") == 0);
    // On four channels 1 MiB is one chunk of 256 KiB each and 16 MiB are chunks of 512 KiB.
    const double rate = catalogue().parts.at("nccl-kernels").number("copy_rate");
    for (const auto& [bytes, chunk] : {std::pair{MiB, 256 * KiB}, {16 * MiB, 512 * KiB}}) {
        CHECK(costs(bytes, "nccl-kernels", "copy_rate") == Approx(-0.5 * static_cast<double>(chunk) / rate));
    }
}

TEST_CASE("the peers of a rank share the blocks of its channels") {
    // Four channels move 4 x 20.8 GB/s, to one peer as to all seven: 7/8 of the buffer at that rate, whose busbw is the
    // rate itself. To the seven of a gather's root come 7/8 of its buffer.
    const double rate = catalogue().parts.at("nccl-hopper-nvswitch").number("p2p.channel_rate") / 1e9;
    const auto on = [](Collective collective, const std::string& name, const std::string& value) {
        return PlannedSystem{.node = "dgx-h100", .nccl = "2.30", .collective = collective, .env = {{name, value}}};
    };
    for (const Collective collective :
         {Collective::sendrecv, Collective::all_to_all, Collective::gather, Collective::scatter}) {
        INFO(to_string(collective));
        CHECK(busbw(on(collective, "NCCL_MAX_CTAS", "4"), 8 * GiB) == Approx(4 * rate).epsilon(0.01));
        CHECK(busbw(on(collective, "NCCL_MAX_NCHANNELS", "1"), 8 * GiB) == Approx(rate).epsilon(0.01));
    }
    // Thirty-two channels move 666 GB/s, more than the links of 450: nothing binds that did not.
    const PlannedSystem all{.node = "dgx-h100", .nccl = "2.30", .collective = Collective::all_to_all};
    CHECK(busbw(all, 8 * GiB) > 300);
    CHECK(seconds_of(all, 8 * GiB, with("nccl-hopper-nvswitch", "p2p.channel_rate", 1.2)) ==
          Approx(seconds_of(all, 8 * GiB)).epsilon(1e-6));
}

TEST_CASE("a message to another node is copied into a buffer before it leaves and out of one when it has come") {
    PlannedSystem shift{.node = "dgx-b200", .nodes = 2, .nccl = "2.27", .collective = Collective::sendrecv};
    const double rate = catalogue().parts.at("nccl-blackwell-nvswitch").number("p2p.channel_rate");
    const Catalog slower = with("nccl-blackwell-nvswitch", "p2p.channel_rate", 0.5);
    // Messages of 16 and 64 KiB go as chunks of 16 and 32 KiB on one channel, 256 KiB as chunks of 64 KiB on two. Each
    // chunk is copied in, the last one out.
    struct Case {
        std::int64_t bytes, chunk;
        int copies;
    };
    for (const auto& [bytes, chunk, copies] :
         {Case{16 * KiB, 16 * KiB, 2}, {64 * KiB, 32 * KiB, 3}, {256 * KiB, 64 * KiB, 3}}) {
        CHECK(seconds_of(shift, bytes, slower) - seconds_of(shift, bytes) ==
              Approx(copies * static_cast<double>(chunk) / rate).epsilon(0.01));
    }
    // So two channels bring less than their adapter of 48.9 GB/s: 35.8 GB/s of a shift on NDR (validate/held-out,
    // vultr-b200-2n8g-sendrecv-v2). From 2.29 on there are as many as the adapter takes at 14 GB/s each.
    CHECK(GiB / seconds_of(shift, GiB) == Approx(2 * rate).epsilon(0.03));
    shift.nccl = "2.29";
    CHECK(GiB / seconds_of(shift, GiB) > 2.05 * rate);
}

TEST_CASE("more bytes never take less time to exchange, but where the provider charges for small messages") {
    const auto exchange = [](std::int64_t bytes, const std::string& transport) {
        Scenario s = scenario_of({.node = "dgx-h100", .nodes = 64, .collective = Collective::all_to_all});
        s.library.network_plugin = transport;
        const Fabric fabric(build(s, catalogue()));
        const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{bytes});
        const Timeline t = replay(Analytic{}, fabric, p.schedule);
        return to_seconds(t.kept[2].finish - t.kept[1].finish);
    };
    const std::int64_t ranks = 512;
    for (std::int64_t each = 16; each < 4096; each *= 2) {
        CHECK(exchange(2 * each * ranks, "") >= exchange(each * ranks, ""));
    }
    CHECK(exchange(256 * ranks, "cxi-ofi-1.6") < exchange(255 * ranks, "cxi-ofi-1.6"));
}
