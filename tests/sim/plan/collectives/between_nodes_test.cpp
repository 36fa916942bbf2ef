// What NCCL does between nodes, each with a number from its source or from paper: chunks in flight, crossings, what a
// plugin's stated latency costs.

#include "tests/sim/plan/collectives/between_nodes.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/engines/common/edge_counts.hpp"
#include "sim/plan/collectives/algorithms/double_tree.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "sim/run/simulate.hpp"
#include "tests/sim/plan/collectives/nodes.hpp"
#include "tests/sim/plan/collectives/planned_system.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("two Simple chunks of a ring are in flight, and eight of LL or of a chain") {
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "ring", "simple")).slots == 2);
    CHECK(pipeline_of(plan_of("all_gather", 2, "64 MiB", "ring", "simple")).slots == 2);
    CHECK(pipeline_of(plan_of("all_reduce", 2, "1 KiB", "ring", "ll")).slots == 8);
    CHECK(pipeline_of(plan_of("broadcast", 2, "64 MiB", "ring", "simple")).slots == 8);
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "tree", "simple")).slots == 8);
}

TEST_CASE("an adapter moves a slice of Simple once the block has written it, so a ring's hop takes both times") {
    const auto hop_of = [](const char* size) {  // and the chunk
        const CallPlan plan = plan_of("all_gather", 2, size, "ring", "simple");
        const Pipeline& p = pipeline_of(plan);
        const Stage& between = plan.schedule.stages.at(p.first_stage + p.stage_count - 1);
        return std::pair(to_seconds(between.overhead), p.chunk);
    };
    const auto [small, few] = hop_of("16 MiB");
    const auto [large, many] = hop_of("64 MiB");
    REQUIRE(many > 1.5 * few);
    // Two channels share an adapter of 50 GB/s, and a block writes 21.3: beside the slower, the time at the faster.
    CHECK((many - few) / 2 / (large - small) == Approx(24e9).epsilon(0.05));
}

TEST_CASE("without GPUDirect a slice of Simple passes the GPU's link to host memory twice beside the adapter") {
    const auto hop_of = [](const PlannedSystem& system, std::int64_t bytes) {  // of a chain: seconds and chunk
        const Scenario s = scenario_of(system);
        const Fabric fabric(build(s, catalogue()));
        const CallPlan plan = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{bytes});
        const Pipeline& p = pipeline_of(plan);
        const Stage& between = plan.schedule.stages.at(p.first_stage + p.stage_count - 1);
        return std::pair(to_seconds(between.overhead), p.chunk / p.slices);
    };
    PlannedSystem system{.node = "dgx-v100", .nodes = 4, .nccl = "2.8", .collective = Collective::broadcast};
    system.env = {{"NCCL_PROTO", "Simple"}, {"NCCL_MIN_NCHANNELS", "4"}, {"NCCL_MAX_NCHANNELS", "4"}};
    const auto per_byte = [&] {
        const auto [small, few] = hop_of(system, MiB / 2);
        const auto [large, many] = hop_of(system, 2 * MiB);
        REQUIRE(many > 1.5 * few);
        return (large - small) / (many - few);
    };
    const double direct = per_byte();
    system.env["NCCL_NET_GDR_LEVEL"] = "LOC";
    // One channel has all of a PCIe 3.0 link of 13.9 GB/s, of which it uses no more than a channel's rate: written
    // and read there, of which the next hop counts a block's time.
    const double channel = catalogue().at("kernel", "nccl-volta-mesh").number("simple.channel_rate");
    CHECK(1 / per_byte() < 1 / direct);
    CHECK(per_byte() * 1e9 == Approx(2 / 13.9 - 1e9 / channel).epsilon(0.02));
}

TEST_CASE("the two ways of a tree take turns on the links, unless the network reduces") {
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "tree", "simple")).turns == 2);
    CHECK(pipeline_of(plan_of("all_reduce", 4, "64 MiB", "nvls-tree", "simple")).turns == 2);
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "ring", "simple")).turns == 1);
}

TEST_CASE("NVLSTree's channels take a NIC one after another, so a hop costs one message, and the switch two passes") {
    // The 8 MiB of 16 channels and 8 heads are one chunk of 64 KiB in each. On a NIC of 50 GB/s all of a head's take
    // 21 us; if each of the 4 hops took that long, the call would take 64 us more.
    const CallPlan plan = plan_of("all_reduce", 4, "8 MiB", "nvls-tree", "simple", "", "2.26");
    const Pipeline& p = pipeline_of(plan);
    CHECK(p.chunk == 8 * MiB);
    CHECK(p.slices == 16);
    CHECK(p.weight == 1);
    const Stage& inside = plan.schedule.stages.at(p.first_stage);
    CHECK(inside.count == 2);
    CHECK(to_seconds(inside.overhead) == Approx(p.chunk / p.edge_rate_cap * 15 / 16).epsilon(1e-6));
}

TEST_CASE("a Simple ring of 16 channels between Hopper nodes carries what 16 channels do, one of 24 what the NICs do") {
    const auto busbw = [](const std::string& least) {
        Scenario s = scenario_of("all_reduce", 4, "8 GiB", "ring", "simple", "", "2.26");
        s.library.env = {{"NCCL_MIN_CTAS", least}};
        return simulate(s, catalogue()).rows.back().busbw;
    };
    const double channel = catalogue().at("kernel", "nccl-hopper-nvswitch").number("simple.channel_rate");
    CHECK(busbw("1") == Approx(16 * channel).epsilon(0.03));  // 324 and 366 GB/s measured (nccl-tests issue 309)
    CHECK(busbw("24") == Approx(391e9).epsilon(0.04));        // measured by the first of them
}

TEST_CASE("NVLSTree takes as long in flow as packet by packet") {
    const auto seconds = [](std::uint32_t nodes, const char* size, const Engine& engine) {
        Scenario s = scenario_of("all_reduce", nodes, size, "nvls-tree", "simple", "", "2.26");
        s.engine = engine;
        return simulate(s, catalogue()).rows.back().time_s;
    };
    for (const std::uint32_t nodes : {2U, 4U}) {
        for (const char* size : {"1 MiB", "8 MiB", "64 MiB"}) {
            INFO(nodes << " nodes, " << size);
            const double packets = seconds(nodes, size, Packet{});
            CHECK(seconds(nodes, size, Flow{}) == Approx(packets).epsilon(0.1));
        }
    }
}

TEST_CASE("a Simple hop costs half as much for a chunk of a few bytes as for a full pass of the block") {
    const ProtocolCost cost{.start = {}, .hop = microseconds(8)};
    CHECK(hop_of(nccl::Proto::simple, cost.hop, 0) == nanoseconds(4000));
    CHECK(hop_of(nccl::Proto::simple, cost.hop, 8 * 1024) == nanoseconds(6000));
    CHECK(hop_of(nccl::Proto::simple, cost.hop, 1e6) == microseconds(8));
    CHECK(hop_of(nccl::Proto::ll, cost.hop, 1) == microseconds(8));
}

TEST_CASE("2.30 chooses NVLSTree's channels and chunks on Blackwell by the adapter's rate and place") {
    const auto found = [](const char* version, std::uint32_t nodes, double port) {
        return nccl::search(nccl::all_algorithms(), test::b200_node(), 8, nodes, port,
                            nccl::release(catalogue(), nccl::parse_version(version)), {});
    };
    const nccl::TopologySearchResult fast = found("2.30", 4, 100e9), slow = found("2.30", 8, 50e9);
    const nccl::TopologySearchResult pair = found("2.30", 2, 50e9), before = found("2.29", 4, 100e9);
    CHECK(fast.nvls_channels == 24);
    CHECK(fast.nvls_tree_chunk == 256 * KiB);
    CHECK(slow.nvls_channels == 24);
    CHECK(slow.nvls_tree_chunk == 64 * KiB);
    CHECK(pair.nvls_channels == 32);
    CHECK(pair.nvls_tree_chunk == 64 * KiB);
    CHECK(before.nvls_tree_chunk == 0);
}

TEST_CASE("from 2.29 on a network peer gets a channel for each 14 GB/s of the adapter") {
    const auto channels = [](const char* version, double port) {
        return nccl::search(nccl::all_algorithms(), test::h100_node(), 8, 2, port,
                            nccl::release(catalogue(), nccl::parse_version(version)), {})
            .p2p_channels_per_peer;
    };
    CHECK(channels("2.28", 50e9) == 2);
    CHECK(channels("2.29.2", 25e9) == 2);
    CHECK(channels("2.29.2", 50e9) == 4);
    CHECK(channels("2.29.2", 100e9) == 8);
}

TEST_CASE("each channel of a ring has a connection of its own, which a hash may send another way") {
    const auto crossings = [](const std::string& routing) {
        const std::string cluster =
            "node: dgx-h100, gpus_per_node: 1, fabric: {kind: fat-tree, link: ethernet-400g, switch: spectrum-4, "
            "routing: " +
            routing + "}";
        const CallPlan plan = plan_of("all_reduce", 128, "1 GiB", "ring", "simple", cluster);
        const Scenario s =
            parse_scenario("name: a\ncluster: {nodes: 128, " + cluster +
                               "}\nworkload: {kind: collective, collective: all_reduce, sizes: [1 GiB]}\n",
                           "a.yaml");
        const Fabric fabric(build(s, catalogue()));
        std::map<LinkId, double> crossed;
        const auto count = [&](std::span<const LinkId> path, double times, bool) {
            for (const LinkId link : path) { crossed[link] += times; }
        };
        count_edges(plan.schedule.edge_sets.at(0), fabric, count);
        double trunks = 0, most = 0;  // of those between switches
        for (const auto& [link, times] : crossed) {
            const auto ends = fabric.ends(link);
            if (fabric.kind(ends.from) == DeviceKind::fabric_switch &&
                fabric.kind(ends.to) == DeviceKind::fabric_switch) {
                trunks += 1;
                most = std::max(most, times);
            }
        }
        return std::pair(trunks, most / plan.channels);
    };
    // 128 nodes on leaves of 32: four edges of the ring cross the spine, each on one trunk up and one down if one hash
    // decided for all channels, and on more with one for each.
    CHECK(crossings("ecmp").first > 8);
    CHECK(crossings("ecmp").second < 1);
}

// How often each of a NIC's ports is crossed by what a plan's pipeline sends, in channels.
std::map<LinkId, double> ports_crossed(const CallPlan& plan, const Fabric& fabric) {
    std::map<LinkId, double> crossed;
    count_edges(plan.schedule.edge_sets.at(0), fabric, [&](std::span<const LinkId> path, double times, bool network) {
        for (const LinkId link : path) {
            const bool port = network && fabric.kind(fabric.ends(link).from) == DeviceKind::nic &&
                              fabric.kind(fabric.ends(link).to) == DeviceKind::fabric_switch;
            if (port) { crossed[link] += times * pipeline_of(plan).weight; }
        }
    });
    return crossed;
}

TEST_CASE("each channel of a send has a connection of its own, which a hash may send over another plane") {
    // An adapter of 100 GB/s takes eight channels of 14 GB/s. One pair crosses each border between two nodes, by one
    // NIC, whose planes share its eight channels: as many in all, and no plane has all of them.
    const auto check = [](const std::string& collective, const std::string& kind, int planes) {
        const std::string cluster =
            fmt::format("node: dgx-b300, fabric: {{kind: {}, link: ethernet-800g, switch: spectrum-x800{}}}", kind,
                        planes > 1 ? fmt::format(", planes: {}", planes) : "");
        const Scenario s = scenario_of(collective, 2, "64 MiB", "auto", "auto", cluster, "2.30");
        const Fabric fabric(build(s, catalogue()));
        const CallPlan plan = plan_of(collective, 2, "64 MiB", "auto", "auto", cluster, "2.30");
        REQUIRE(plan.channels == 8);
        double all = 0, most = 0;
        for (const auto& [port, channels] : ports_crossed(plan, fabric)) {
            CHECK(channels == Approx(std::round(channels)));
            all += channels;
            most = std::max(most, channels);
        }
        return std::pair(all, most);
    };
    CHECK(check("sendrecv", "single-switch", 1) == std::pair(16.0, 8.0));  // two borders
    for (const int planes : {2, 4}) {
        INFO(planes << " planes");
        const auto [all, most] = check("sendrecv", "dual-plane", planes);
        CHECK(all == 16);
        CHECK(most < 8);
    }
    // Eight messages from each of eight GPUs to the root's NIC or from it, eight channels each.
    for (const char* star : {"gather", "scatter"}) {
        CHECK(check(star, "single-switch", 1).first == 8 * 8);
        CHECK(check(star, "dual-plane", 2).first == 8 * 8);
    }
    CHECK(check("all_to_all", "dual-plane", 2).first == 2 * 8 * 8 * 8);
}

TEST_CASE("a chain comes back to the root's node unless every ring enters there at the root") {
    CHECK(network_hops(plan_of("broadcast", 2, "1 MiB", "ring", "simple")) == 2);
    CHECK(network_hops(plan_of("broadcast", 8, "1 MiB", "ring", "simple")) == 8);
    const std::string one = "gpus_per_node: 1, node: dgx-h100, fabric: {kind: fat-tree, link: infiniband-ndr}";
    CHECK(network_hops(plan_of("broadcast", 8, "1 MiB", "ring", "simple", one)) == 7);
}

TEST_CASE("chunks of sends between nodes are short for short messages, and peers share their slots") {
    const nccl::Release release = nccl::release(catalogue(), nccl::parse_version("2.27"));
    nccl::TopologySearchResult found;
    found.p2p_channels = 32;
    nccl::Environment large;
    large.p2p_net_chunk = 512 * KiB;
    const auto chunk = [&](double bytes, const nccl::Environment& environment) {
        return nccl::p2p_chunk(release, environment, found, {16, 2}, bytes);
    };
    CHECK(chunk(100 * KiB, {}) == 32 * KiB);
    CHECK(chunk(512 * KiB, {}) == 64 * KiB);
    CHECK(chunk(MiB, {}) == 128 * KiB);
    CHECK(chunk(400 * KiB, large) == 128 * KiB);
    CHECK(chunk(2 * MiB, large) == 256 * KiB);
    CHECK(nccl::p2p_slots(release, found, 2, 1) == 8);
    CHECK(nccl::p2p_slots(release, found, 2, 127) == 2);
}

TEST_CASE("the latency that a plugin states counts in NCCL's estimates, twice for Simple") {
    const auto estimate = [](const std::string& algorithm, const std::string& protocol, const std::string& cluster) {
        return 1e6 * plan_of("all_reduce", 2, "8 B", algorithm, protocol, cluster).tuning_seconds;
    };
    // 6.8 + 2 (7 * 0.6 + 5), and 75 us more for each of the two hops on EFA.
    CHECK(estimate("tree", "ll", "") == Approx(25.2).epsilon(0.001));
    CHECK(estimate("tree", "ll", efa) == Approx(175.2).epsilon(0.001));
    CHECK(estimate("tree", "ll128", efa) == Approx(198.5).epsilon(0.001));
    CHECK(estimate("nvls-tree", "simple", efa) - estimate("nvls-tree", "simple", "") == Approx(300).epsilon(0.001));
}

TEST_CASE("a tree's channels each cross every border between nodes once up and once down") {
    // 16 channels on 8 searched trees: each is run twice.
    const Scenario s = scenario_of("all_reduce", 4, "1 GiB", "tree", "simple", "", "2.27");
    const Fabric fabric(build(s, catalogue()));
    const CallPlan plan = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{GiB});
    const Pipeline& pipeline = pipeline_of(plan);
    double crossings = 0;
    for_each_edge(plan.schedule.edge_sets[pipeline.edges], fabric, [&](const Edge& edge) {
        const bool crosses = fabric.node_of(edge.path.src) != fabric.node_of(edge.path.dst);
        crosses ? crossings += edge.count * pipeline.weight : 0;
    });
    REQUIRE(plan.channels == 16);
    CHECK(crossings == 2 * 16 * (4 - 1));
}

TEST_CASE("with PXN the senders of a node reach one receiver over connections of their own") {
    const Scenario s = parse_scenario(
        "name: pairs\ncluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: "
        "ethernet-400g}}\nworkload: {kind: collective, collective: all_to_all, sizes: [8 B]}\n",
        "pairs.yaml");
    const Fabric fabric(build(s, catalogue()));
    std::set<std::uint32_t> labels;
    for_each_edge(AllPairs{.first = 0, .ranks = 16, .pxn = true}, fabric, [&](const Edge& edge) {
        if (edge.path.dst == fabric.gpu(8) && fabric.node_of(edge.path.src) == 0) {
            labels.insert(edge.path.flow_label);
        }
    });
    CHECK(labels.size() == 8);
}
