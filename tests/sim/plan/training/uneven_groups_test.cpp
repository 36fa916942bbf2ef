// Groups of ranks that do not divide the nodes, or stand across the border of two.

#include <map>
#include <set>

#include "sim/plan/training/group_calls.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

constexpr const char* racks = R"(name: racks
cluster: {node: gb200-nvl72, nodes: 4, fabric: {kind: fat-tree}}
library: {env: {NCCL_ALGO: Ring}}
workload:
  kind: training
  model: llama-3.1-405b
  global_batch: 192
  recompute: full
  check_memory: false
  parallelism: {tensor: 8, pipeline: 9}
)";

constexpr const char* one_node = R"(name: one-node
cluster: {node: dgx-h100}
workload:
  kind: training
  model: mine
  dimensions: {layers: 8, hidden: 2048, heads: 16, vocabulary: 32000}
  sequence_length: 2048
  global_batch: 8
)";

struct Counts {
    std::map<DeviceId, double> out, in;  // edges of each GPU
    double nodes_left = 0;               // edges between nodes
    double rails_left = 0;               // of them, edges between different rails
    std::map<std::uint16_t, double> in_by_nic;
};

// The edges of one call of all groups.
Counts edges_of(const Fabric& fabric, const LibrarySpec& library, Collective collective, const Groups& groups) {
    GroupPlans plans(fabric, library, catalogue(), false);
    GroupCalls calls(fabric, plans);
    Schedule schedule;
    calls.add(schedule, {CommKind::data, collective, 64e6, 1}, groups, {}, {});
    Counts counts;
    for (const Pipeline& pipeline : schedule.pipelines) {
        for_each_edge(schedule.edge_sets[pipeline.edges], fabric, [&](const Edge& edge) {
            counts.out[edge.path.src] += edge.count;
            counts.in[edge.path.dst] += edge.count;
            const bool crosses = fabric.node_of(edge.path.src) != fabric.node_of(edge.path.dst);
            counts.nodes_left += crosses ? edge.count : 0;
            if (crosses) { counts.in_by_nic[edge.path.dst_nic] += edge.count; }
            counts.rails_left += crosses && edge.path.src_nic != edge.path.dst_nic ? edge.count : 0;
        });
    }
    return counts;
}

}  // namespace

TEST_CASE("a send in a communicator of two has the channels of two, four times those of eight") {
    const Scenario s = parse_scenario(one_node, "one.yaml", {});
    const Fabric fabric(build(s, catalogue()));
    GroupPlans plans(fabric, s.library, catalogue(), false);
    GroupCallSpec send{
        .collective = Collective::sendrecv, .dtype = DataType::bfloat16, .size = Bytes{std::uint64_t{4} << 20U}};
    const int together = plans.plan({8, 1, 1}, send).channels;
    send.pairs = true;
    CHECK(plans.plan({8, 1, 1}, send).channels == 4 * together);
}

TEST_CASE("an interleaved pipeline runs inside one node") {
    for (const char* stages : {"2", "4", "8"}) {
        const std::vector<std::string> set = {std::string("workload.parallelism.pipeline=") + stages,
                                              "workload.global_batch=16", "workload.parallelism.chunks=1"};
        std::vector<std::string> interleaved = set;
        interleaved.back() = "workload.dimensions.layers=16";
        interleaved.emplace_back("workload.parallelism.chunks=2");
        const StepRow row = simulate(parse_scenario(one_node, "one.yaml", interleaved), catalogue()).steps.at(0);
        CHECK(row.step_time_s > 0);
        CHECK(row.exposed_pipeline_s < 0.1 * row.step_time_s);
    }
}

TEST_CASE("every second GPU's ring stays on its rails where a GPU beside the NIC forwards to it") {
    const Scenario s = parse_scenario(one_node, "one.yaml",
                                      {"cluster.node=dgx-a100", "cluster.nodes=4", "cluster.options.nics=4",
                                       "cluster.fabric.kind=rail-optimized", "workload.global_batch=32"});
    const Fabric fabric(build(s, catalogue()));
    const auto rings = [&](const char* off) {
        LibrarySpec library = s.library;
        library.env = {{"NCCL_ALGO", "Ring"}, {"NCCL_PXN_DISABLE", off}};
        return edges_of(fabric, library, Collective::all_reduce, {16, 2, 0, 32});
    };
    CHECK(rings("0").nodes_left > 0);
    CHECK(rings("0").rails_left == 0);
    CHECK(rings("1").nodes_left == rings("0").nodes_left);
}

TEST_CASE("stages and rings whose ends are on two rails meet on one where no switch joins them") {
    const std::vector<std::string> base = {"cluster.fabric.kind=rail-only", "workload.global_batch=16"};
    for (const char* nodes : {"2", "4"}) {
        for (const char* tensor : {"1", "2"}) {
            std::vector<std::string> set = base;
            set.push_back(std::string("cluster.nodes=") + nodes);
            set.push_back(std::string("workload.parallelism={pipeline: 4, tensor: ") + tensor + "}");
            CHECK(simulate(parse_scenario(one_node, "one.yaml", set), catalogue()).steps.at(0).step_time_s > 0);
        }
    }
}

TEST_CASE("every second GPU of a full mesh has a ring by its own adapter, whatever the adapters are") {
    // Under each switch two GPUs and two NICs: every second GPU has two NICs to itself.
    for (const char* link : {"ethernet-100g", "ethernet-200g", "ethernet-400g"}) {
        const Scenario s = parse_scenario(one_node, "one.yaml",
                                          {"cluster.node=mi300x-8x", "cluster.nodes=4", "workload.global_batch=32",
                                           std::string("cluster.fabric.link=") + link});
        const Fabric fabric(build(s, catalogue()));
        const auto rings = [&](const Groups& groups) {
            return edges_of(fabric, s.library, Collective::all_gather, groups);
        };
        CHECK(rings({16, 2, 0, 32}).rails_left == 0);
        const std::map<std::uint16_t, double> nics = rings({16, 2, 0, 32}).in_by_nic;
        CHECK(nics.size() >= 4);
        for (const auto& [nic, edges] : nics) { CHECK(edges <= 2 * nics.rbegin()->second); }
    }
}

TEST_CASE("a group lies on the nodes that its ranks lie on") {
    struct Case {
        Groups groups;
        std::uint32_t gpus, per_node, nodes;
        bool even;
    };
    const std::vector<Case> cases = {
        {{8, 2, 0, 32}, 8, 4, 2, true},        // two whole nodes, every second GPU
        {{2, 6, 0, 4}, 8, 2, 1, true},         // the first and the last stage of four, in one node
        {{33, 8, 0, 264}, 72, 6, 4, false},    // 9, 9, 9 and 6 of a rack's
        {{33, 8, 264, 264}, 72, 3, 5, false},  // 3, 9, 9, 9 and 3
        {{32, 8, 256, 256}, 72, 1, 5, false},  // 4, 9, 9, 9 and 1
        {{12, 1, 0, 24}, 8, 4, 2, false},      // 8 and 4, then 4 and 8
        {{64, 1, 0, 128}, 72, 8, 2, false},    // one in a rack, one with 8 and 56
        {{4, 264, 0, 1056}, 72, 1, 4, true},   // far apart
    };
    for (const Case& c : cases) {
        const SpreadGroups spread = spread_of(c.groups, c.gpus, false);
        CHECK(spread.shape.per_node == c.per_node);
        CHECK(spread.shape.nodes == c.nodes);
        CHECK(spread.even == c.even);
    }
}

TEST_CASE("an all-to-all of a group that lies unevenly goes once from each of its ranks to each") {
    const Scenario s = parse_scenario(racks, "racks.yaml", {});
    const Fabric fabric(build(s, catalogue()));
    const Counts counts = edges_of(fabric, s.library, Collective::all_to_all, Groups{64, 1, 0, 128});
    CHECK(counts.out.size() == 128);
    for (const auto& [gpu, edges] : counts.out) {
        CHECK(edges == 63);
        CHECK(counts.in.at(gpu) == 63);
    }
    CHECK(counts.nodes_left == 2 * 8 * 56);
}

TEST_CASE("a ring of a group that lies unevenly leaves each node as often as it has channels") {
    const Scenario s = parse_scenario(racks, "racks.yaml", {});
    const Fabric fabric(build(s, catalogue()));
    const auto channels = [&](const Groups& groups, double nodes) {
        return edges_of(fabric, s.library, Collective::all_gather, groups).nodes_left / nodes;
    };
    // As many as the rack with the fewest ranks gives: 3 of 3 and 6, as where there are 3 in each.
    CHECK(channels(Groups{9, 8, 48, 72}, 8 * 2) == channels(Groups{6, 24, 0, 144}, 24 * 2));
}

TEST_CASE("one rack more costs no step more than its own share") {
    std::map<int, double> seconds;
    for (const int racks_there : {32, 33, 34}) {
        const std::string batch = std::to_string(16 * racks_there);
        const Scenario s = parse_scenario(
            racks, "racks.yaml", {"cluster.nodes=" + std::to_string(racks_there), "workload.global_batch=" + batch});
        seconds[racks_there] = simulate(s, catalogue()).steps.at(0).step_time_s;
    }
    CHECK(seconds[33] == Approx(seconds[32]).epsilon(0.03));
    CHECK(seconds[34] == Approx(seconds[32]).epsilon(0.03));
}
