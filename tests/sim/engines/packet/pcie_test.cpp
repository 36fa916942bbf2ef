// PCI Express as transactions, and NVLink's flits. PCIe here 50 GB/s and 100 ns a cable, two from a GPU to its NIC;
// NVLink 100 GB/s and 500 ns; NICs 25 GB/s, 800 ns from one to the other.

#include "models/pcie.hpp"

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pcie_bandwidth.hpp"

namespace fabricast {

namespace {

using testing::packets;
using testing::unit;

constexpr std::int64_t pcie_way = 200'000, network_way = 800'000;  // ps: GPU to NIC, NIC to NIC

Fabric two_nodes(std::uint32_t gpus = 1) {
    return Fabric(tiny::cluster(2, gpus, tiny::fabric(FabricKind::single_switch)));
}

// Generation 4 with 256 B of payload behind 24 B.
Fabric framed_nodes(std::uint32_t gpus = 1) {
    Cluster cluster = tiny::cluster(2, gpus, tiny::fabric(FabricKind::single_switch));
    testing::frame_pcie(cluster, 4);
    return Fabric(cluster);
}

Packet transactions(std::int64_t mtu, int tags = 4096) {
    Packet options = packets(FlowControl::credits);
    options.mtu = options.island_mtu = Bytes{mtu};
    options.island_flow_control = FlowControl::credits;
    options.pcie.transactions = true;
    options.pcie.tags = tags;
    return options;
}

Schedule message(const PathQuery& path, std::int64_t bytes) {
    Schedule schedule;
    schedule.connections.push_back({.path = path});
    schedule.kept.push_back(schedule.add(Transfer{0, {bytes}, {}}));
    return schedule;
}

}  // namespace

TEST_CASE("what a NIC sends it reads: a doorbell and the requests go before the data") {
    const Fabric fabric = two_nodes();
    const Schedule schedule = message({.src = fabric.gpu(0), .dst = fabric.gpu(1)}, unit);
    Packet assumed = packets(FlowControl::credits);
    assumed.island_flow_control = FlowControl::credits;
    const Time before = replay(assumed, fabric, schedule).makespan;
    CHECK(before.ps == 2 * pcie_way + network_way + 160'000);
    // One way for the doorbell, one for eight requests of 512 B at most, 24 B each at 50 GB/s.
    const Time time = replay(transactions(unit), fabric, schedule).makespan;
    CHECK(time.ps == before.ps + 2 * pcie_way + 8 * 480);
    // Ten packets: the requests run ahead of the data.
    const Schedule ten = message({.src = fabric.gpu(0), .dst = fabric.gpu(1)}, 10 * unit);
    CHECK(replay(transactions(unit), fabric, ten).makespan.ps == time.ps + 9 * 160'000);
}

TEST_CASE("reads are bound by what their tags keep under way, to the picosecond") {
    const Fabric fabric = two_nodes();
    constexpr std::int64_t count = 60, piece = 512, wire = 10'240, request = 480;
    const Schedule schedule = message({.src = fabric.gpu(0), .dst = fabric.gpu(1)}, count * piece);
    for (const int tags : {1, 2, 3, 4, 5, 6}) {
        INFO("tags " << tags);
        // A tag is out from the request until the tail of what it asked for: both ways, and both wires. The first
        // round's data queues at the memory, 10,240 ps a packet; from then on each tag asks so much after the one
        // before it, and neither requests (480 ps) nor data wait again.
        const std::int64_t loop = 2 * pcie_way + request + wire;
        const std::int64_t last_round = pcie_way + (count / tags - 1) * loop;
        // Its packets leave the NIC at half the rate one behind the other; into the GPU none waits.
        const std::int64_t leaves = last_round + request + 2 * pcie_way + (tags - 1) * 2 * wire;
        const Time time = replay(transactions(piece, tags), fabric, schedule).makespan;
        CHECK(time.ps == leaves + network_way + pcie_way + 2 * wire);
    }
}

// Pieces that are announced in one moment are requested in the order in which they are sent: if a short one came first,
// what was granted would never fit the packets, and with few tags nothing would move any more.
TEST_CASE("a short piece announced with longer ones before it is requested after them") {
    const Fabric fabric = two_nodes();
    Schedule schedule;
    schedule.connections.push_back({.path = {.src = fabric.gpu(0), .dst = fabric.gpu(1)}});
    for (const std::int64_t bytes : {10 * 700 + 5, 3 * 700, 400}) {
        schedule.kept.push_back(schedule.add(Transfer{0, {bytes}, {}}));
    }
    const Timeline timeline = replay(transactions(700, 2), fabric, schedule);  // 1,024 B: one packet at a time
    CHECK(timeline.packets->delivered_bytes == 10 * 700 + 5 + 3 * 700 + 400);
    CHECK(std::ranges::is_sorted(timeline.kept, {}, &OpTimes::finish));
}

TEST_CASE("reads and writes reach what the model of PCIe says") {
    const Fabric fabric = framed_nodes(2);
    PcieSpec spec;
    spec.link.rate = Rate::per_second(50'000'000'000);
    spec.link.framing = {.payload = Bytes{256}, .header = pcie::write_overhead(4)};
    constexpr std::int64_t count = 4000, piece = 256;
    const PathQuery out{.src = fabric.gpu(0), .dst = fabric.nic(0, 0)};
    const PathQuery in{.src = fabric.nic(0, 0), .dst = fabric.gpu(0)};
    const auto rate_of = [&](const PathQuery& path, const Packet& options) {
        const Schedule schedule = message(path, count * piece);
        return count * piece / to_seconds(replay(options, fabric, schedule).makespan);
    };
    // Both ways, a request of 24 B and a completion of 276 B twice.
    constexpr Duration round_trip = nanoseconds(416);
    // Fill and drain are a microsecond of some twenty.
    const double fill = 0.06;
    CHECK(rate_of(in, transactions(piece)) == Approx(testing::write_bandwidth(spec, {1 << 20})).epsilon(fill));
    CHECK(rate_of(out, transactions(piece)) ==
          Approx(testing::read_bandwidth(spec, {1 << 20}, 256, round_trip)).epsilon(fill));
    Packet split = transactions(piece);
    split.pcie.completion_payload = Bytes{64};
    CHECK(rate_of(out, split) == Approx(50e9 * pcie::efficiency({64}, pcie::completion_overhead(4))).epsilon(fill));
    CHECK(rate_of(in, split) == rate_of(in, transactions(piece)));
    // What a GPU sends by host memory it writes there, and the other reads it.
    const PathQuery staged{.src = fabric.gpu(0), .dst = fabric.gpu(1), .kind = PathKind::host_staged};
    CHECK(rate_of(staged, transactions(piece)) == Approx(testing::write_bandwidth(spec, {1 << 20})).epsilon(fill));
    CHECK(rate_of(staged, split) == Approx(50e9 * pcie::efficiency({64}, pcie::completion_overhead(4))).epsilon(fill));
    Packet few = transactions(piece, 8);
    CHECK(rate_of(out, few) == Approx(testing::read_bandwidth(spec, {1 << 20}, 8, round_trip)).epsilon(fill));
}

TEST_CASE("sizes that packets cannot have are refused, not cut") {
    const Fabric framed = framed_nodes();
    Schedule schedule = message({.src = framed.gpu(0), .dst = framed.gpu(1)}, unit);
    Packet options = transactions(256);
    options.pcie.completion_payload = Bytes{512};
    CHECK_THROWS_WITH(replay(options, framed, schedule), ContainsSubstring("found 512 B; accepted: up to 256 B"));
    options.pcie.max_payload = Bytes{512};
    CHECK_NOTHROW(replay(options, framed, schedule));
    options = packets();
    options.mtu = Bytes{32'768};
    CHECK_NOTHROW(replay(options, framed, schedule));
    schedule.connections[0].wire_ratio = 2;  // LL sends a flag beside each word
    CHECK_THROWS_WITH(replay(options, framed, schedule),
                      ContainsSubstring("'packet.mtu'") && ContainsSubstring("found 65536 B; accepted: up to 65535 B"));
}

TEST_CASE("headers have credits of their own: small writes are bound by them, not by the data's") {
    const Fabric fabric = two_nodes(2);
    constexpr std::int64_t count = 120, piece = 64, wire = 1'280;
    const Schedule schedule =
        message({.src = fabric.gpu(0), .dst = fabric.gpu(1), .kind = PathKind::p2p}, count * piece);
    const Path path = fabric.path(schedule.connections[0].path);
    Packet options = transactions(piece);
    CHECK(replay(options, fabric, schedule).makespan.ps == path.latency.ps + count * wire);
    for (const int headers : {1, 2, 3, 4, 5}) {
        options.pcie.posted_headers = headers;
        options.pcie.posted_data = Bytes{1 << 20};
        // The last link's buffer is memory: its credit sets out when the tail is in, 1.28 ns later than elsewhere.
        const std::int64_t loop = 2 * 100'000 + wire;
        CHECK(replay(options, fabric, schedule).makespan.ps ==
              path.latency.ps + (count / headers - 1) * loop + headers * wire);
        options.pcie.posted_headers = 1 << 16;
        options.pcie.posted_data = Bytes{headers * piece + 15};
        CHECK(replay(options, fabric, schedule).makespan.ps ==
              path.latency.ps + (count / headers - 1) * loop + headers * wire);
    }
}

TEST_CASE("a read pushes the writes before it; relaxed ordering lets it pass") {
    // Node 1 writes to GPU 0, whose link has one credit for a write; GPU 0 sends one packet, which NIC 0 reads.
    const Fabric fabric = two_nodes();
    Schedule schedule = message({.src = fabric.gpu(1), .dst = fabric.gpu(0)}, 400 * 256);
    schedule.connections.push_back({.path = {.src = fabric.gpu(0), .dst = fabric.gpu(1)}});
    schedule.kept.push_back(schedule.add(Transfer{1, {256}, microseconds(8)}));
    Packet options = transactions(256);
    options.pcie.max_payload = Bytes{256};
    const auto took = [&](const Packet& given) {
        return to_seconds(replay(given, fabric, schedule).kept[1].finish) - 8e-6;
    };
    const double free = took(options);
    options.pcie.posted_headers = 1;
    const double pushed = took(options);
    options.pcie.relaxed_ordering = true;
    const double relaxed = took(options);
    // Passing, it waits for one write on each of the two wires; behind them, for a loop of the credit or more.
    CHECK(relaxed <= free + 2 * 256 / 50e9 + 1e-12);
    CHECK(pushed > relaxed + 2 * 100e-9);
}

TEST_CASE("NVLink counts flits: a header for each 256 B holds buffer too") {
    const Fabric fabric(tiny::one_node(2));
    constexpr std::int64_t count = 60, wire = 40'000;
    const Schedule schedule = message({.src = fabric.gpu(0), .dst = fabric.gpu(1)}, count * unit);
    constexpr std::int64_t flits = unit / 16 + 16;  // 250 of data, 16 of headers
    Packet options = packets();
    options.island_flow_control = FlowControl::credits;
    CHECK(replay(options, fabric, schedule).makespan.ps == 1'000'000 + count * wire);
    for (const std::int64_t slots : {1, 2, 3, 4, 5}) {
        // Into memory a credit sets out when the tail is in.
        const std::int64_t loop = 1'000'000 + wire;
        for (const std::int64_t more : {0L, 16 * flits - 16}) {
            options.credit_buffer = Bytes{slots * 16 * flits + more};
            CHECK(replay(options, fabric, schedule).makespan.ps ==
                  1'000'000 + (count / slots - 1) * loop + slots * wire);
        }
    }
}

}  // namespace fabricast
