// Clusters of the catalogue in packets: a training step, where calls of several kinds meet each other; nodes whose
// devices have links of several latencies.

#include <string>

#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

using namespace fabricast;

TEST_CASE("a step of a mixture of experts is to the last bit the same without reuse") {
    // Credits inside the nodes, pauses between them; gradients meet all parts of an all-to-all at once.
    const std::string layers = testing::thorough() ? "12" : "4", tokens = testing::thorough() ? "256" : "64";
    const auto step = [&](const std::string& options) {
        const std::string text =
            "name: t\nengine: packet\n"
            "cluster: {node: dgx-h100, nodes: 4, fabric: {kind: fat-tree, link: ethernet-400g, radix: 16}}\n"
            "workload: {kind: training, model: qwen3-30b-a3b, global_batch: 16, micro_batch: 1, sequence_length: " +
            tokens + ",\n  dimensions: {layers: " + layers +
            "}, parallelism: {pipeline: 2, expert: 16}}\n"
            "packet: {preset: pfc-only" +
            options + "}\n";
        return simulate(parse_scenario(text, "t.yaml"), catalogue());
    };
    const Report with = step(""), without = step(", reuse: false");
    CHECK(with.steps.at(0).step_time_s == without.steps.at(0).step_time_s);
    CHECK(with.steps.at(0).exposed_expert_s == without.steps.at(0).exposed_expert_s);
}

TEST_CASE("devices that run ahead of their node's steps change nothing") {
    // A film is made step by step. The buffers are small enough for pauses, whose timers end a run ahead, and the
    // second preset's senders heed notices that come from devices that are ahead.
    const auto traffic = [](const std::string& preset, const std::string& series) {
        const std::string text =
            "name: t\nengine: packet\n"
            "cluster: {node: dgx-h100, nodes: 4, fabric: {kind: fat-tree, link: ethernet-400g, radix: 16}}\n"
            "workload: {kind: collective, collective: all_to_all, sizes: [8 MiB]}\n"
            "packet: {preset: " +
            preset + ", buffer: 2 MB, reuse: false, series: " + series + "}\n";
        return simulate(parse_scenario(text, "t.yaml"), catalogue()).packets.at(0);
    };
    for (const char* preset : {"pfc-only", "dcqcn-paper"}) {
        INFO(preset);
        const PacketTraffic steps = traffic(preset, "true"), ahead = traffic(preset, "false");
        CHECK(steps.use.pauses > 0);
        CHECK((steps.use.notices > 0) == (preset == std::string("dcqcn-paper")));
        CHECK(ahead.call_ends == steps.call_ends);
        CHECK(ahead.use.hops == steps.use.hops);
        CHECK(ahead.use.marks == steps.use.marks);
        CHECK(ahead.use.notices == steps.use.notices);
        CHECK(ahead.use.pauses == steps.use.pauses);
        CHECK(ahead.use.paused == steps.use.paused);
        CHECK(ahead.use.starved == steps.use.starved);
        CHECK(ahead.use.fct_p50 == steps.use.fct_p50);
    }
}
