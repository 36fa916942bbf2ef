// Latencies, counted by hand and against each other: how often the cables of a fabric stand on a collective's way.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/plan/collectives/planner.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using testing::Random;

namespace {

struct Case {
    std::string collective, algorithm, protocol;
    std::uint32_t nodes = 2, per_node = 4;
    std::string size = "512 B";
    int channels = 0;  // 0: NCCL's choice
};

std::string text(const Case& c) {
    return std::to_string(c.nodes) + " x " + std::to_string(c.per_node) + " " + c.collective + " " + c.algorithm + " " +
           c.protocol + " " + c.size + ", " + std::to_string(c.channels) + " channels";
}

Scenario scenario(const Case& c, const std::string& engine, std::int64_t nanoseconds) {
    std::string text = "name: t\nengine: " + engine + "\ncluster: {node: dgx-h100, nodes: " + std::to_string(c.nodes) +
                       ", gpus_per_node: " + std::to_string(c.per_node) +
                       ", fabric: {cable_latency: " + std::to_string(nanoseconds) +
                       " ns}}\nworkload: {kind: collective, collective: " + c.collective +
                       ", algorithm: " + c.algorithm + ", protocol: " + c.protocol + ", sizes: [" + c.size + "]}\n";
    if (engine == "packet") {  // buffers that credits run out of over a long cable are an effect of their own
        text += "packet: {flow_control: lossless}\n";
    }
    if (c.channels > 0) {
        const std::string channels = std::to_string(c.channels);
        text +=
            "library: {env: {NCCL_MIN_NCHANNELS: \"" + channels + "\", NCCL_MAX_NCHANNELS: \"" + channels + "\"}}\n";
    }
    return parse_scenario(text, "latency.yaml");
}

double seconds(const Case& c, const std::string& engine, std::int64_t nanoseconds) {
    return simulate(scenario(c, engine, nanoseconds), catalogue()).rows.at(0).time_s;
}

// How much earlier than flow's the packets of a call may arrive (docs/packet.md): flow counts what the hosts need to
// post a chunk on each of its hops, packets between chunks only; and a channel's cap spaces packets, so it does not
// slow the last of a chunk.
double early_packets(const Case& c) {
    const Scenario s = scenario(c, "packet", 1);
    const Fabric fabric(build(s, catalogue()));
    const Bytes size = sizes_of(s.workload)->front();
    const CallPlan planned = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(size);
    const Pipeline& p = planned.schedule.pipelines.at(0);
    const double packet = std::min(1.0, 4096 / p.chunk) * (p.chunk / p.edge_rate_cap + to_seconds(p.chunk_overhead));
    double hops = 0;
    for (std::uint32_t i = 0; i < p.stage_count; ++i) { hops += planned.schedule.stages[p.first_stage + i].count; }
    return hops * std::max(packet, to_seconds(p.chunk_posting));
}

// Engines that this build has.
std::vector<std::string> engine_names() {
    std::vector<std::string> names = {"flow", "analytic", "packet", "simgrid"};
    try {
        seconds({"sendrecv", "auto", "auto"}, "simgrid", 1);
    } catch (const MissingEngine&) { names.pop_back(); }
    return names;
}

}  // namespace

TEST_CASE("the cables on a collective's way are as many as one counts by hand, in every engine") {
    struct Counted {
        Case what;
        double cables;  // two a hop: NIC to switch, switch to NIC
    };
    const Counted counted[] = {
        // Fourteen steps of a ring of eight with two edges between nodes, four apart: 1st, 5th, 9th, 13th step.
        {{"all_reduce", "ring", "ll"}, 2 * 4},
        // A Simple chunk takes four of the eight slots: two fit, so the last of the 14 chunks of an edge has waited for
        // six ways and credits: 1 + 6 * 2 hops, and there is time for the rest of the ring meanwhile.
        {{"all_reduce", "ring", "simple"}, 2 * 13},
        // With one GPU a node every step is between nodes; with two every other.
        {{"all_reduce", "ring", "ll", 3, 1}, 2 * 4},
        {{"all_reduce", "ring", "ll", 3, 2}, 2 * 5},
        // Thirty steps; 4 hops for the chunk that goes round, but an edge's steps 8, 16 and 24 wait for a slot of
        // eight, which is a way and the credit's way back: 1 + 3 * 2 hops.
        {{"all_reduce", "ring", "ll", 2, 8}, 2 * 7},
        {{"all_reduce", "ring", "simple", 2, 8}, 2 * 29},
        // 126 steps: 15 windows.
        {{"all_reduce", "ring", "ll", 8, 8}, 2 * 31},
        // Seven steps, the first and the fifth between nodes; with one GPU a node all.
        {{"all_gather", "ring", "ll"}, 2 * 2},
        {{"reduce_scatter", "ring", "simple"}, 2 * 7},
        {{"all_gather", "ring", "ll", 5, 1}, 2 * 4},
        // Up and down once; over eight nodes three levels each way.
        {{"all_reduce", "tree", "ll"}, 2 * 2},
        {{"all_reduce", "tree", "simple", 8, 4}, 2 * 6},
        // One message a pair. Of 2 MiB each of two channels carries eight chunks of 128 KiB, as many as there are
        // slots;
        // of 4 MiB sixteen, the ninth of which waits for the first one's slot: there, back and there again.
        {{"sendrecv", "auto", "auto"}, 2 * 1},
        {{"sendrecv", "auto", "auto", 2, 1, "1 MiB"}, 2 * 1},
        {{"sendrecv", "auto", "auto", 2, 1, "2 MiB"}, 2 * 1},
        {{"sendrecv", "auto", "auto", 2, 1, "4 MiB"}, 2 * 3},
        {{"all_to_all", "auto", "auto"}, 2 * 1},
        {{"gather", "auto", "auto"}, 2 * 1},
        {{"scatter", "auto", "auto"}, 2 * 1},
    };
    for (const std::string& engine : engine_names()) {
        for (const Counted& c : counted) {
            INFO(engine << ": " << text(c.what));
            const double each = (seconds(c.what, engine, 2'000'000) - seconds(c.what, engine, 1'000'000)) / 1e-3;
            CHECK(std::abs(each - c.cables) < 0.02 * c.cables);
        }
    }
}

TEST_CASE(
    "engines agree on latencies within three per cent, packets but for what they take last, whatever the cables") {
    Random random{29};
    const std::vector<std::string> names = engine_names();
    for (int i = 0; i < 60; ++i) {
        Case c;
        const char* const collectives[] = {"all_reduce",     "all_reduce", "all_gather",
                                           "reduce_scatter", "sendrecv",   "all_to_all"};
        c.collective = collectives[random.below(6)];
        const bool tree = c.collective == "all_reduce" && random.below(2) == 1;
        const bool chosen = c.collective != "sendrecv" && c.collective != "all_to_all";
        const char* const protocols[] = {"ll", "ll128", "simple"};
        c.algorithm = !chosen ? "auto" : tree ? "tree" : "ring";
        c.protocol = chosen ? protocols[random.below(3)] : "auto";
        c.nodes = 2 + random.below(5);
        c.per_node = 1U << random.below(4);
        c.channels = chosen ? 1 + static_cast<int>(random.below(8)) : 0;
        c.size = std::to_string(1U << (6 + random.below(15))) + " B";
        const std::int64_t latency = std::llround(std::pow(10.0, 2 + 0.01 * random.below(400)));
        const double flow = seconds(c, "flow", latency);
        for (const std::string& engine : names) {
            const double other = seconds(c, engine, latency);
            INFO(engine << ": " << text(c) << ", cables of " << latency << " ns: " << other * 1e6 << " us, flow says "
                        << flow * 1e6);
            CHECK(other < 1.03 * flow);
            CHECK(other + (engine == "packet" ? early_packets(c) : 0) > 0.97 * flow);
        }
    }
}
