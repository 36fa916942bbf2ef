// LL128 between nodes (src/device/prims_ll128.h): passes of the block, whole chunks, fences, trees.

#include <fmt/format.h>

#include "sim/plan/collectives/lowered_call.hpp"
#include "tests/sim/plan/collectives/between_nodes.hpp"

using namespace fabricast;
using namespace fabricast::test;

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
                         to_seconds(p.chunk_overhead) + p.chunk / p.edge_rate_cap + network_figure("ll128.fence"));
    };
    const std::string hopper = "node: dgx-h100, fabric: {kind: fat-tree, link: infiniband-ndr}";
    const std::string ampere = "node: dgx-a100, fabric: {kind: fat-tree, link: infiniband-hdr}";
    const auto [fenced, expected] = posting(hopper.c_str(), 2);
    CHECK(fenced == Approx(expected).epsilon(1e-6));
    const auto [free, never] = posting(ampere.c_str(), 2);
    CHECK(free < 0.5 * never);
    CHECK(posting(hopper.c_str(), 1).first == 0);
}

TEST_CASE(
    "an LL128 tree broadcasts with 30 % of its threads: reads, keeps and sends to its chain and to two nodes; in one "
    "node it has half a ring's") {
    const double broadcasting = network_figure("ll128.tree_channel_rate");
    const double ring = catalogue().at("kernel", "nccl-hopper-nvswitch").number("ll128.channel_rate");
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
