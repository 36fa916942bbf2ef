// The closed form of a ring against the recursion that it solves: every slice of every edge, one after the other.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/engines/common/pipeline_form.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Seconds. A ring of `nodes` x `per_node` ranks: the edge out of each node's last rank is slow.
struct Ring {
    std::uint32_t nodes, per_node, loops;  // loops: 1 all-gather, 2 all-reduce
    double quick_latency, slow_latency, quick_chunk, slow_chunk;
    int slices;
    std::uint32_t slots = 1'000'000'000;
    double credit = 0;  // of a slow edge

    std::uint32_t ranks() const { return nodes * per_node; }
    std::uint32_t steps() const { return loops * (ranks() - 1); }
    bool slow(std::uint32_t edge) const { return edge % per_node == per_node - 1; }
    double latency(std::uint32_t edge) const { return slow(edge) ? slow_latency : quick_latency; }
    double slice(std::uint32_t edge) const { return (slow(edge) ? slow_chunk : quick_chunk) / slices; }
};

// An edge begins a slice when it has sent the one before it, when the slice has come over the edge before, and a chunk
// when the one `slots` before has arrived and its credit is back.
double by_recursion(const Ring& ring) {
    const std::uint32_t edges = ring.ranks();
    const auto slices = static_cast<std::uint32_t>(ring.slices);
    std::vector<std::vector<double>> begin(edges, std::vector<double>(ring.steps() * slices, 0));
    double end = 0;
    for (std::uint32_t q = 0; q < ring.steps() * slices; ++q) {
        for (std::uint32_t e = 0; e < edges; ++e) {
            const std::uint32_t before = (e + edges - 1) % edges;
            if (q > 0) { begin[e][q] = begin[e][q - 1] + ring.slice(e); }
            if (q >= slices) {
                begin[e][q] =
                    std::max(begin[e][q], begin[before][q - slices] + ring.slice(before) + ring.latency(before));
            }
            if (q / slices >= ring.slots) {
                const std::uint32_t sent = (q / slices - ring.slots + 1) * slices - 1;
                begin[e][q] = std::max(
                    begin[e][q], begin[e][sent] + ring.slice(e) + ring.latency(e) + (ring.slow(e) ? ring.credit : 0));
            }
            end = std::max(end, begin[e][q] + ring.slice(e) + ring.latency(e));
        }
    }
    return end;
}

double by_form(const Ring& ring) {
    // The crossings of the chunk that makes most of them, as the planner counts them.
    const double skipped = ring.loops + 1 > ring.per_node ? ring.loops + 1 - ring.per_node : 0;
    const double between = ring.loops * ring.nodes - skipped;
    Schedule schedule;
    schedule.stages = {{ring.steps() - between, {}, from_seconds(ring.quick_latency)},
                       {between, {}, from_seconds(ring.slow_latency), from_seconds(ring.credit)}};
    Pipeline pipeline;
    pipeline.chunk = 1;
    pipeline.bytes_per_edge = ring.steps();
    pipeline.slices = ring.slices;
    pipeline.slots = ring.slots;
    pipeline.cyclic = true;
    pipeline.stage_count = 2;
    const std::vector<HopPath> hops = {{{}, 1 / ring.quick_chunk, false}, {{}, 1 / ring.slow_chunk, true}};
    const PipelineForm form(schedule, pipeline, hops);
    return form.running(form.tau(1 / std::max(ring.quick_chunk, ring.slow_chunk)));
}

}  // namespace

TEST_CASE("two nodes of eight: the last chunk of a node's train waits for those before it") {
    // 15 steps: 2 crossings of 20 + 3 us, 7 hops of 1 + 1 us, and 6 chunks of 3 us before it on the slow edge.
    const Ring ring{2, 8, 1, 1e-6, 20e-6, 1e-6, 3e-6, 1};
    CHECK(std::abs(by_recursion(ring) - (2 * 23e-6 + 7 * 2e-6 + 6 * 3e-6)) < 1e-11);
    CHECK(std::abs(by_form(ring) - by_recursion(ring)) < 1e-11);
}

TEST_CASE("the closed form of a ring is the longest path through its steps") {
    std::mt19937 random(1);
    const auto pick = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    for (int i = 0; i < 400; ++i) {
        const auto nodes = static_cast<std::uint32_t>(pick(2, 9));
        const auto per_node = static_cast<std::uint32_t>(pick(2, 9));
        const auto loops = static_cast<std::uint32_t>(pick(1, 3));
        const double quick = std::pow(10, pick(-7, -5));
        const Ring ring{nodes,
                        per_node,
                        loops,
                        std::pow(10, pick(-7, -5.5)),
                        std::pow(10, pick(-5.5, -4)),
                        quick,
                        quick * std::pow(10, pick(0.01, 1.5)),
                        static_cast<int>(pick(1, 5))};
        INFO(nodes << " x " << per_node << ", " << loops << " loops, " << ring.slices << " slices, latencies "
                   << ring.quick_latency << " " << ring.slow_latency << ", chunks " << ring.quick_chunk << " "
                   << ring.slow_chunk);
        CHECK(std::abs(by_form(ring) / by_recursion(ring) - 1) < 1e-6);
    }
}

TEST_CASE("a ring that waits for its window goes on with what is left of its chunks, over hops of both kinds") {
    for (const auto& [nodes, per_node, slots] :
         {std::tuple(2U, 8U, 5U), {2U, 4U, 4U}, {2U, 3U, 3U}, {3U, 8U, 6U}, {4U, 4U, 5U}}) {
        for (const double credit : {60e-6, 10e-6}) {
            const Ring ring{nodes, per_node, 1, 10e-6, 60e-6, 0.5e-6, 1e-6, 1, slots, credit};
            INFO(nodes << " x " << per_node << ", " << slots << " slots, a credit of " << credit << " s");
            // With short credits the paths of windows and of rounds mix: the form takes the longer of the two.
            CHECK(std::abs(by_form(ring) / by_recursion(ring) - 1) < (credit < ring.slow_latency ? 0.07 : 1e-3));
        }
    }
}
