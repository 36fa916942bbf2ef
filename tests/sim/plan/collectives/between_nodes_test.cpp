// What NCCL does between nodes, each with a number from its source or from paper: chunks in flight, messages that
// proxies post, crossings, what a plugin's stated latency and rendezvous cost.

#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/engines/common/edge_counts.hpp"
#include "sim/plan/collectives/algorithms/double_tree.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/collectives/nodes.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;

namespace {

Scenario scenario_of(const std::string& collective, std::uint32_t nodes, const std::string& size,
                     const std::string& algorithm, const std::string& protocol, const std::string& cluster,
                     const std::string& nccl) {
    const std::string h100 = "node: dgx-h100, fabric: {kind: rail-optimized, link: infiniband-ndr, switch: quantum-2}";
    return parse_scenario(
        "name: between\ncluster: {nodes: " + std::to_string(nodes) + ", " + (cluster.empty() ? h100 : cluster) +
            "}\nworkload: {kind: collective, collective: " + collective + ", sizes: [" + size +
            "], algorithm: " + algorithm + ", protocol: " + protocol + "}\nlibrary: {nccl: \"" + nccl + "\"}\n",
        "between.yaml");
}

CallPlan plan_of(const std::string& collective, std::uint32_t nodes, const std::string& size,
                 const std::string& algorithm, const std::string& protocol, const std::string& cluster = "",
                 const std::string& nccl = "2.22") {
    const Scenario s = scenario_of(collective, nodes, size, algorithm, protocol, cluster, nccl);
    const Fabric fabric(build(s, catalogue()));
    return Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(sizes_of(s.workload)->front());
}

const std::string efa = "node: hgx-h100-efa, fabric: {kind: fat-tree, link: efa-v2}";

const Pipeline& pipeline_of(const CallPlan& plan) { return plan.schedule.pipelines.at(0); }

const Stage& network_stage(const CallPlan& plan) {
    return plan.schedule.stages.at(pipeline_of(plan).first_stage + pipeline_of(plan).stage_count - 1);
}
double network_hops(const CallPlan& plan) { return network_stage(plan).count; }

double post(const char* figure = "net_ib.post") { return catalogue().at("kernel", "nccl-network").number(figure); }
double simple_post() { return post("net_ib.simple_post"); }

}  // namespace

TEST_CASE("two Simple chunks of a ring are in flight, and eight of LL or of a chain") {
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "ring", "simple")).slots == 2);
    CHECK(pipeline_of(plan_of("all_gather", 2, "64 MiB", "ring", "simple")).slots == 2);
    CHECK(pipeline_of(plan_of("all_reduce", 2, "1 KiB", "ring", "ll")).slots == 8);
    CHECK(pipeline_of(plan_of("broadcast", 2, "64 MiB", "ring", "simple")).slots == 8);
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "tree", "simple")).slots == 8);
}

TEST_CASE("a proxy posts two messages of a tree's chunk at two nodes, three at three, four beyond") {
    CHECK(tree_messages(2) == 2);
    CHECK(tree_messages(3) == 3);
    CHECK(tree_messages(4) == 4);
    CHECK(tree_messages(64) == 4);
    // NVLSTree: a head has all 16 channels. Of 1 GiB a chunk is 1/64 or less, and the first one's messages are in its
    // hops.
    for (const auto& [nodes, messages] : {std::pair(2U, 2.0), std::pair(4U, 4.0)}) {
        const CallPlan plan = plan_of("all_reduce", nodes, "1 GiB", "nvls-tree", "simple");
        const Pipeline& p = pipeline_of(plan);
        CHECK(plan.channels == 16);
        CHECK(to_seconds(p.chunk_posting) ==
              Approx(messages * 16 * simple_post() * (1 - p.chunk / p.bytes_per_edge)).epsilon(1e-6));
    }
}

TEST_CASE("a proxy of NCCL's own network begins with one peer after another") {
    // Messages of 512 B, so all copy as much.
    const auto start = [&](std::uint32_t nodes, const std::string& cluster = "") {
        const std::string size = std::to_string(nodes * 8 * 512) + " B";
        return to_seconds(pipeline_of(plan_of("all_to_all", nodes, size, "auto", "auto", cluster)).start);
    };
    const double each = post("net_ib.p2p_per_peer");
    CHECK(each > 1e-6);
    CHECK(start(3) - start(2) == Approx(8 * each).epsilon(1e-6));
    const double shift = to_seconds(pipeline_of(plan_of("sendrecv", 2, "512 B", "auto", "auto")).start);
    CHECK(start(2) - shift == Approx(7 * each).epsilon(1e-3));    // each has its own share of the wire
    CHECK(start(3, efa) == Approx(start(2, efa)).epsilon(1e-6));  // a plugin has its own way
}

TEST_CASE("a proxy posts what it sends to a peer and what it receives from it") {
    const auto messages = [](const char* collective, const std::string& cluster = "", const char* figure = nullptr) {
        const CallPlan plan = plan_of(collective, 2, "64 KiB", "auto", "auto", cluster);
        const double one = figure ? catalogue().parts.at(figure).number("post") : simple_post();
        return to_seconds(pipeline_of(plan).chunk_posting) / (plan.channels * one);
    };
    CHECK(messages("all_to_all") == Approx(8 * 2));
    // A plugin's provider takes a buffer for half of what a send costs: on Polaris a peer of an all-to-all takes 10.1
    // us, a message of a ring 6.7 to 8.1 (polaris-256n4g-alltoall, polaris-8n4g-allgather).
    const std::string polaris = "node: a100-mesh-4x, fabric: {kind: dragonfly, link: slingshot-11}";
    CHECK(messages("all_to_all", polaris, "transport-cxi-ofi") == Approx(4 * 1.5));
    // A shift leaves a node by its last GPU and enters by its first, unless it has only one.
    CHECK(messages("sendrecv") == Approx(1));
    CHECK(messages("sendrecv", "node: dgx-h100, gpus_per_node: 1, fabric: {kind: fat-tree, link: infiniband-ndr}") ==
          Approx(2));
}

TEST_CASE("the two ways of a tree take turns on the links, unless the network reduces") {
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "tree", "simple")).turns == 2);
    CHECK(pipeline_of(plan_of("all_reduce", 4, "64 MiB", "nvls-tree", "simple")).turns == 2);
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "ring", "simple")).turns == 1);
}

TEST_CASE("NVLSTree takes a channel for each 16 KiB of traffic, and its messages are posted one after another once") {
    const auto plan = [](const std::string& size) {
        return plan_of("all_reduce", 4, size, "nvls-tree", "simple", "", "2.26");
    };
    const double one = to_seconds(network_stage(plan("8 KiB")).overhead);
    for (const auto& [size, channels] : {std::pair("8 KiB", 1), std::pair("64 KiB", 8), std::pair("1 MiB", 16)}) {
        CHECK(plan(size).channels == channels);
        CHECK(network_hops(plan(size)) == 4);
        CHECK(to_seconds(network_stage(plan(size)).overhead) ==
              Approx(one + (channels - 1) / 4.0 * simple_post()).epsilon(1e-6));
    }
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

TEST_CASE("an LL128 chunk leaves its node whole: the block writes all of it, and then the adapter sends it") {
    // A channel of 16 has 64 KiB of the larger and 8 KiB of the smaller; two channels share an adapter of 50 GB/s.
    const auto hop = [](const std::string& size) {
        return to_seconds(network_stage(plan_of("all_reduce", 2, size, "ring", "ll128")).overhead);
    };
    const CallPlan large = plan_of("all_reduce", 2, "16 MiB", "ring", "ll128");
    const Pipeline& p = pipeline_of(large);
    CHECK(large.channels == 16);
    CHECK(p.chunk == 64 * KiB);
    CHECK(p.slices == 2);
    const double block = 1 / p.edge_rate_cap, adapter = 2 * p.network_wire_ratio / 50e9;
    const double rest = p.chunk * (block + adapter - std::max(block, adapter) / 2);
    const double small = p.chunk / 8 * (block + adapter - std::max(block, adapter));
    CHECK(hop("16 MiB") - hop("2 MiB") == Approx(rest - small).epsilon(0.02));
    CHECK(to_seconds(rest_of_message(nccl::Proto::simple, p, 1e9)) == 0);
}

TEST_CASE("LL128 passes on 1,920 B a warp at a time, 38,400 in a ring's block and half as much in a tree's") {
    CHECK(slices(nccl::Proto::ll128, 9600) == 1);
    CHECK(slices(nccl::Proto::ll128, 38400) == 1);
    CHECK(slices(nccl::Proto::ll128, 76800) == 2);
    CHECK(slices(nccl::Proto::ll128, 76800, 10) == 4);
    // Neither hop of a tree but that of the busiest rank makes more copies than a ring's, which is all its chunk needs.
    const CallPlan tree = plan_of("all_reduce", 4, "256 KiB", "tree", "ll128");
    const Pipeline& p = pipeline_of(tree);
    CHECK(p.chunk < 19200);
    CHECK(p.slices ==
          std::lround(catalogue().at("kernel", "nccl-hopper-nvswitch").number("ll128.channel_rate") / p.edge_rate_cap));
}

TEST_CASE("from Hopper on each LL128 chunk that leaves a node ends with a fence, in one node none does") {
    const auto posting = [](const char* node, std::uint32_t nodes) {
        const CallPlan plan = plan_of("all_gather", nodes, "64 MiB", "ring", "ll128", node);
        const Pipeline& p = pipeline_of(plan);
        return std::pair(to_seconds(p.chunk_posting),
                         to_seconds(p.chunk_overhead) + p.chunk / p.edge_rate_cap +
                             catalogue().at("kernel", "nccl-network").number("ll128.fence"));
    };
    const std::string hopper = "node: dgx-h100, fabric: {kind: fat-tree, link: infiniband-ndr}";
    const std::string ampere = "node: dgx-a100, fabric: {kind: fat-tree, link: infiniband-hdr}";
    const auto [fenced, expected] = posting(hopper.c_str(), 2);
    CHECK(fenced == Approx(expected).epsilon(1e-6));
    const auto [free, never] = posting(ampere.c_str(), 2);
    CHECK(free < 0.5 * never);
    CHECK(posting(hopper.c_str(), 1).first == 0);
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

TEST_CASE("each port of a split adapter is posted to, which halves NVLSTree's small chunks on B300") {
    const auto posting = [](const std::string& options, const std::string& link) {
        const std::string b300 =
            "node: dgx-b300, options: {" + options + "}, fabric: {kind: rail-optimized, link: " + link + "}";
        return to_seconds(
            pipeline_of(plan_of("all_reduce", 4, "8 GiB", "nvls-tree", "simple", b300, "2.29.7")).chunk_posting);
    };
    CHECK(posting("nics: 16", "ethernet-400g") == Approx(2 * posting("nics: 8", "ethernet-800g")));
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

TEST_CASE(
    "an LL128 tree broadcasts with 30 % of its threads: reads, keeps and sends to its chain and to two nodes; in one "
    "node it has half a ring's") {
    const auto figure = [](const char* part, const char* name) { return catalogue().at("kernel", part).number(name); };
    const double broadcasting = figure("nccl-network", "ll128.tree_channel_rate");
    const double ring = figure("nccl-hopper-nvswitch", "ll128.channel_rate");
    const std::string one = "gpus_per_node: 1, node: dgx-h100, fabric: {kind: fat-tree, link: infiniband-ndr}";
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "tree", "ll128", one)).edge_rate_cap ==
          Approx(1.5 * broadcasting));
    CHECK(pipeline_of(plan_of("all_reduce", 4, "64 MiB", "tree", "ll128", one)).edge_rate_cap ==
          Approx(0.75 * broadcasting));
    CHECK(pipeline_of(plan_of("all_reduce", 4, "64 MiB", "tree", "ll128")).edge_rate_cap == Approx(0.6 * broadcasting));
    CHECK(pipeline_of(plan_of("all_reduce", 2, "64 MiB", "tree", "ll128")).edge_rate_cap ==
          Approx(std::min(ring, broadcasting)));
    CHECK(pipeline_of(plan_of("all_reduce", 1, "64 MiB", "tree", "ll128")).edge_rate_cap == Approx(ring / 2));
}

TEST_CASE("in a chain a chunk of LL128 waits at an adapter for its rest, at the pace of adapters or of the channel") {
    const auto over = [](const char* link) {
        return plan_of("broadcast", 3, "64 MiB", "ring", "ll128",
                       fmt::format("node: dgx-a100, options: {{nics: 4}}, fabric: {{link: infiniband-{}}}", link));
    };
    const CallPlan slow = over("edr"), fast = over("hdr");
    const Pipeline& chain = pipeline_of(slow);
    const double rest = chain.chunk * (1 - 1.0 / chain.slices);
    CHECK(slow.channels == 8);  // two share an adapter, of HDR at more than a channel has
    const double more = to_seconds(network_stage(slow).overhead - network_stage(fast).overhead);
    CHECK(more == Approx(rest * (2 * chain.network_wire_ratio / 12.5e9 - 1 / chain.edge_rate_cap)).epsilon(0.1));
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

TEST_CASE("a proxy reads every line of an LL message before it posts it") {
    const CallPlan plan = plan_of("all_reduce", 2, "64 KiB", "ring", "ll");
    const Pipeline& p = pipeline_of(plan);
    const double scan = catalogue().at("kernel", "nccl-network").number("ll.scan_rate");
    // One channel comes in at a rank and another leaves there.
    const double messages = to_seconds(p.chunk_posting) / (post() + 2 * p.chunk / scan);
    CHECK(messages == Approx(std::round(messages)).epsilon(1e-6));
    CHECK(messages > 0.99);
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

TEST_CASE("a message beyond the eager limit asks first") {
    const Scenario s = parse_scenario("name: efa\ncluster: {nodes: 2, " + efa +
                                          "}\nworkload: {kind: collective, collective: all_reduce, sizes: [8 B]}\n",
                                      "efa.yaml");
    const Fabric fabric(build(s, catalogue()));
    const CostParts parts = cost_parts(catalogue(), fabric, nccl::parse_version("2.22"), s.library, true);
    FigureReader ledger(parts);
    const auto hop = [&](double message) {
        return to_seconds(network_hop(ledger, NetworkHop::tree, nccl::Proto::ll, message));
    };
    CHECK(hop(8192) == hop(8));
    CHECK(hop(8193) - hop(8192) == Approx(parts.transport->number("rendezvous")).epsilon(1e-6));
    CHECK(message_bytes(nccl::Proto::ll, 4096) == 8192);  // half of the bytes are flags
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

TEST_CASE("RCCL's rings inside a node of a full mesh use every link twice, each for four channels") {
    const auto rings_of = [](std::uint32_t gpus) {
        return nccl::search(nccl::all_algorithms(), node_template("mi300x-8x", catalogue()), gpus, 1, 0,
                            nccl::release(catalogue(), nccl::parse_version("2.21"), "rccl"), {})
            .rings;
    };
    std::map<std::pair<int, int>, int> links;
    for (const nccl::Ring& ring : rings_of(8)) {
        CHECK(std::set(ring.order.begin(), ring.order.end()).size() == 8);
        for (std::size_t i = 0; i < 8; ++i) { ++links[{ring.order[i], ring.order[(i + 1) % 8]}]; }
    }
    CHECK(links.size() == 56);
    for (const auto& [link, rings] : links) { CHECK(rings == 8); }
    CHECK(rings_of(4).size() < 56);  // part of a node is searched as elsewhere
}

TEST_CASE("a part of a full mesh has no fewer rings between nodes, or slower ones, by faster adapters") {
    NodeTemplate node = node_template("mi300x-8x", catalogue());  // four of its GPUs, each under a switch with two NICs
    node.gpus = 4;
    const auto renamed = [](std::string& name) {
        if (!name.starts_with("gpu")) { return false; }
        const int gpu = name.back() - '0';
        name = "gpu" + std::to_string(gpu / 2);
        return gpu % 2 != 0;
    };
    std::erase_if(node.devices, [&](NodeDevice& device) { return renamed(device.name); });
    std::erase_if(node.cables, [&](NodeCable& cable) {
        const bool a = renamed(cable.a), b = renamed(cable.b);
        return a || b;
    });
    double before = 0;
    for (const double port : {12.5e9, 25e9, 50e9}) {
        const auto found = nccl::search(nccl::all_algorithms(), node, 4, 8, port,
                                        nccl::release(catalogue(), nccl::parse_version("2.21"), "rccl"), {});
        CHECK(found.ring.channels * found.ring.inter >= before);
        before = found.ring.channels * found.ring.inter;
        std::map<int, double> in, links;
        for (const nccl::Ring& ring : found.rings) {
            in[ring.nic] += found.ring.inter;
            for (std::size_t i = 0; i + 1 < 4; ++i) {
                links[ring.order[i] * 4 + ring.order[i + 1]] += found.ring.intra;
            }
        }
        CHECK(in.size() >= 4);
        for (const auto& [nic, rate] : in) { CHECK(rate <= port); }
        for (const auto& [link, rate] : links) { CHECK(rate <= links.begin()->second); }
    }
}

TEST_CASE("RCCL's rings between nodes of a full mesh use every link once and every NIC once each way") {
    const std::string mesh = "node: mi300x-8x, fabric: {kind: rail-optimized, link: infiniband-ndr}";
    const NodeTemplate node = node_template("mi300x-8x", catalogue());
    const auto found = nccl::search(nccl::all_algorithms(), node, 8, 2, 50e9,
                                    nccl::release(catalogue(), nccl::parse_version("2.22"), "rccl"), {});
    CHECK(found.channels == 64);
    std::map<std::pair<int, int>, int> links;
    std::map<int, int> in, out;
    for (const nccl::Ring& ring : found.rings) {
        ++in[ring.nic];
        ++out[ring.exit_nic];
        CHECK(std::set(ring.order.begin(), ring.order.end()).size() == 8);
        CHECK(ring.odd_order == std::vector<std::uint16_t>(ring.order.rbegin(), ring.order.rend()));
        for (std::size_t i = 0; i + 1 < ring.order.size(); ++i) { ++links[{ring.order[i], ring.order[i + 1]}]; }
    }
    CHECK(links.size() == 56);
    for (const auto& [link, rings] : links) { CHECK(rings == 8); }
    CHECK(in.size() == 8);
    CHECK(in == out);
    // rome_model_81's ranges: the buffer's size decides, of all-gather a rank's share.
    const auto protocol = [&](const char* collective, const char* size, const char* version) {
        return plan_of(collective, 2, size, "auto", "auto", mesh, version).protocol;
    };
    CHECK(protocol("all_reduce", "1 MiB", "2.22") == Protocol::ll);
    CHECK(protocol("all_reduce", "2 MiB", "2.22") == Protocol::ll128);
    CHECK(protocol("all_reduce", "16 MiB", "2.22") == Protocol::simple);
    CHECK(protocol("all_gather", "64 MiB", "2.22") == Protocol::ll128);
    CHECK(protocol("all_gather", "128 MiB", "2.22") == Protocol::simple);
    CHECK(protocol("all_reduce", "2 MiB", "2.21") != Protocol::ll128);
}
