// A GPU that sends by another GPU's adapter, held against a measurement: NVIDIA/nccl issue 2310 (2026), H100 nodes with
// RoCE at 400 Gb/s, validate/measurements/rdma/nccl2310-h100-pix-phb-two-nic.yaml. An adapter beside the GPU (PIX)
// carries 400 Gb/s, one across the host bridge (PHB) 234, two such 117 each, one of each 70 each with many pauses.

#include "models/pcie.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

constexpr std::int64_t slot = 63'015'384'615;  // bytes per second of sixteen lanes of generation 5
constexpr std::uint32_t gpus = 3;              // of a node, each below a PCIe switch of its own, with an adapter

// Two nodes on 400 Gb/s Ethernet; all PCIe is sixteen lanes of generation 5 with 256 B of payload.
Fabric gpus_with_adapters() {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link = tiny::link(LinkFamily::ethernet, 50, nanoseconds(300));
    spec.choice = PathChoice::ecmp;
    Cluster cluster = tiny::cluster(2, gpus, spec);
    for (NodeCable& cable : cluster.node.cables) {
        if (cable.link.family == LinkFamily::pcie) { cable.link.rate = Rate::per_second(slot); }
    }
    testing::frame_pcie(cluster, 5);
    return Fabric(cluster);
}

// What each adapter of a GPU carries, Gb/s, where all GPUs of both nodes send to their peers: GPU i by the adapters
// that are `beside` places further than its own, with slots for eight chunks, each split evenly over the adapters.
double gigabits(const std::vector<std::uint32_t>& beside) {
    const Fabric fabric = gpus_with_adapters();
    constexpr std::int64_t chunk = 512 << 10;
    constexpr std::size_t slots = 8, chunks = 120;
    const auto adapters = static_cast<std::int64_t>(beside.size());
    Schedule schedule;
    for (std::uint32_t from = 0; from < 2 * gpus; ++from) {
        const std::uint32_t to = (from + gpus) % (2 * gpus);
        const auto first = static_cast<std::uint32_t>(schedule.connections.size());
        for (const std::uint32_t places : beside) {
            const auto nic = static_cast<std::uint16_t>((from + places) % gpus);
            schedule.connections.push_back({.path = {.src = fabric.gpu(from),
                                                     .dst = fabric.gpu(to),
                                                     .src_nic = nic,
                                                     .dst_nic = nic,
                                                     .kind = PathKind::network,
                                                     .forwarded = false}});
        }
        std::vector<std::vector<Schedule::Dependency>> sent;
        for (std::size_t c = 0; c < chunks; ++c) {
            const std::vector<Schedule::Dependency> before =
                c < slots ? std::vector<Schedule::Dependency>{} : sent[c - slots];
            sent.emplace_back();
            for (std::uint32_t a = 0; a < beside.size(); ++a) {
                sent.back().push_back({schedule.add(Transfer{first + a, {chunk / adapters}, {}}, before)});
            }
        }
        for (const Schedule::Dependency& last : sent.back()) { schedule.kept.push_back(last.op); }
    }
    Packet options;
    options.flow_control = FlowControl::pfc;
    options.island_flow_control = FlowControl::credits;
    options.congestion_control = CongestionControl::dcqcn;
    const double seconds = to_seconds(replay(options, fabric, schedule).makespan);
    return 8e-9 * chunk * static_cast<double>(chunks) / seconds / static_cast<double>(adapters);
}

}  // namespace

TEST_CASE("an adapter across the host bridge carries half of what a slot does, as measured") {
    CHECK(gigabits({0}) == Approx(400).epsilon(0.02));
    // Through each uplink go what its GPU sends and what its adapter receives for another: 230 Gb/s each.
    const double across = 8e-9 * slot * pcie::efficiency({256}, pcie::write_overhead(5)) / 2;
    CHECK(gigabits({1}) == Approx(across).epsilon(0.02));
    CHECK(gigabits({1}) == Approx(234).epsilon(0.03));
    CHECK(gigabits({1, 2}) == Approx(117).epsilon(0.03));
    // One of each: an adapter serves two GPUs then, each with half of its line. That 70 were measured, with many
    // pauses, is not explained by this.
    CHECK(gigabits({0, 1}) == Approx(200).epsilon(0.02));
}

}  // namespace fabricast
