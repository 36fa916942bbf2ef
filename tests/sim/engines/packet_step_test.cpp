// A whole training step in packets, where calls of several kinds meet each other.

#include <string>

#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

TEST_CASE("a step of a mixture of experts is to the last bit the same without reuse") {
    // Credits inside the nodes, pauses between them; gradients meet all parts of an all-to-all at once.
    const auto step = [](const std::string& options) {
        const std::string text =
            "name: t\nengine: packet\n"
            "cluster: {node: dgx-h100, nodes: 4, fabric: {kind: fat-tree, link: ethernet-400g, radix: 16}}\n"
            "workload: {kind: training, model: qwen3-30b-a3b, sequence_length: 256, global_batch: 16, micro_batch: 1,\n"
            "  dimensions: {layers: 12}, parallelism: {pipeline: 2, expert: 16}}\n"
            "packet: {preset: pfc-only" +
            options + "}\n";
        return simulate(parse_scenario(text, "t.yaml"), catalogue());
    };
    const Report with = step(""), without = step(", reuse: false");
    CHECK(with.steps.at(0).step_time_s == without.steps.at(0).step_time_s);
    CHECK(with.steps.at(0).exposed_expert_s == without.steps.at(0).exposed_expert_s);
}
