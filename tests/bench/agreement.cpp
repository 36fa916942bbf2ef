// Where the closed form of a pipeline and its chunks part: the table of docs/engines.md, printed by
// `fabricast-bench agreement`.

#include <cstdio>

#include "sim/engines/common/unroll.hpp"
#include "sim/engines/engine.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::bench {

namespace {

struct Case {
    const char* what;
    std::uint32_t nodes = 1;
    double chunks = 0;
    double chunk = 0;
    int slices = 1;
    int slots = 8;
    bool cyclic = true;
};

Schedule schedule_of(const Case& c, const Fabric& fabric) {
    Schedule schedule;
    NodeRing ring{.nodes = c.nodes, .order = {0, 1, 2, 3}};
    ring.closed = c.cyclic;
    if (c.nodes > 1) {
        ring.exit_nic = 3;
        ring.entry_nic = 0;
    }
    schedule.edge_sets.push_back(ring);
    const double ranks = 4.0 * c.nodes;
    const double hops = c.cyclic ? 2 * (ranks - 1) : ranks - 1;
    const double across = c.nodes > 1 ? c.cyclic ? hops * c.nodes / ranks : c.nodes - 1 : 0;
    schedule.stages.push_back({hops - across, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
    if (c.nodes > 1) {
        schedule.stages.push_back({across, {.src = fabric.gpu(3), .dst = fabric.gpu(4)}, nanoseconds(500)});
    }
    Pipeline p;
    p.chunk = c.chunk;
    p.bytes_per_edge = c.chunks * c.chunk;
    p.slices = c.slices;
    p.slots = c.slots;
    p.cyclic = c.cyclic;
    p.stage_count = static_cast<std::uint32_t>(schedule.stages.size());
    schedule.add(p);
    return schedule;
}

}  // namespace

void agreement(const std::vector<std::string>& names) {
    if (names.empty() || !wanted(names, "agreement")) { return; }
    const Case cases[] = {
        {"ring of 4 in a node, 200 chunks of 100 kB", 1, 200, 100e3},
        {"the same, 4 slices", 1, 200, 100e3, 4},
        {"the same, 20 chunks", 1, 20, 100e3},
        {"the same, 6 chunks of 1 kB: all latency", 1, 6, 1e3},
        {"the same, 400 chunks of 10 kB, 4 slots: bound by the window", 1, 400, 10e3, 1, 4},
        {"ring of 3 nodes, 220 chunks of 1 MB", 3, 220, 1e6},
        {"the same, 22 chunks of 1 MB: one loop", 3, 22, 1e6},
        {"the same, 220 chunks of 100 kB", 3, 220, 100e3},
        {"the same, 22 chunks of 10 kB", 3, 22, 10e3},
        {"chain over 3 nodes, 300 chunks of 1 MB", 3, 300, 1e6, 1, 8, false},
        {"the same, 2 slices", 3, 300, 1e6, 2, 8, false},
        {"the same, 10 chunks of 100 kB", 3, 10, 100e3, 1, 8, false},
    };
    std::printf("| pipeline | closed form | chunk by chunk in flow | in SimGrid |\n|---|---|---|---|\n");
    for (const Case& c : cases) {
        const Fabric fabric(c.nodes == 1 ? tiny::one_node(4)
                                         : tiny::cluster(c.nodes, 4, tiny::fabric(FabricKind::rail_optimized)));
        const Schedule schedule = schedule_of(c, fabric);
        const double closed = to_seconds(replay(Flow{}, fabric, schedule).makespan);
        const double chunks = to_seconds(replay(Flow{}, fabric, unroll(fabric, schedule).schedule).makespan);
        std::printf("| %s | %.2f us | %+.2f %% | ", c.what, closed * 1e6, (chunks / closed - 1) * 100);
        try {
            const double referee = to_seconds(replay(SimGrid{}, fabric, schedule).makespan);
            std::printf("%+.2f %% |\n", (referee / closed - 1) * 100);
        } catch (const MissingEngine&) { std::printf("- |\n"); }
    }
}

}  // namespace fabricast::bench
