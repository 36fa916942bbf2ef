#pragma once
// Calls of rings, and replays of them with reuse, which are held against replays without: to the picosecond, and to the
// last count.

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

namespace fabricast::testing {

// Rings of one size over the GPUs of each node, or over all nodes, with a gap of `gap` after each; `start` before.
struct Rings {
    const Fabric& fabric;
    Schedule schedule;

    std::uint32_t edges(std::uint32_t first_node, std::uint32_t nodes) {
        NodeRing ring{.first_node = first_node, .nodes = nodes, .order = {0, 1, 2, 3}};
        ring.exit_nic = nodes > 1 ? 3 : any_nic;
        ring.entry_nic = nodes > 1 ? 0 : any_nic;
        schedule.edge_sets.push_back(ring);
        return static_cast<std::uint32_t>(schedule.edge_sets.size()) - 1;
    }

    OpId delay(Duration duration, std::uint32_t host, Schedule::After after = {}) {
        return schedule.add(Delay{host, duration}, after);
    }

    OpId call(std::uint32_t edges, double bytes, Schedule::After after, Duration start = {}) {
        if (schedule.stages.empty()) {
            schedule.stages.push_back({6, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
        }
        Pipeline p;
        p.edges = edges;
        p.chunk = 80'000;
        p.bytes_per_edge = bytes;
        p.slices = 2;
        p.slots = 4;
        p.cyclic = true;
        p.stage_count = 1;
        p.weight = 2;
        p.start = start;
        const OpId op = schedule.add(p, after);
        schedule.kept.push_back(op);
        return op;
    }

    // Rings of one call in each of the nodes, each on links of its own.
    std::uint32_t edges_in_each(std::uint32_t nodes) {
        EdgeList list;
        for (std::uint32_t gpu = 0; gpu < 4 * nodes; ++gpu) {
            const std::uint32_t next = gpu / 4 * 4 + (gpu + 1) % 4;
            list.edges.push_back({{.src = fabric.gpu(gpu), .dst = fabric.gpu(next)}});
        }
        schedule.edge_sets.emplace_back(list);
        return static_cast<std::uint32_t>(schedule.edge_sets.size()) - 1;
    }

    // Calls one after the other, `gap` between them.
    void calls(std::uint32_t edges, int count, Duration gap, std::uint32_t host, Duration first = {}) {
        OpId last = delay(first, host);
        for (int i = 0; i < count; ++i) {
            const OpId op = call(edges, 20.5 * 80'000, std::vector<Schedule::Dependency>{{last}});
            last = delay(gap, host, std::vector<Schedule::Dependency>{{op}});
        }
    }
};

// One edge between the GPUs of each pair.
inline EdgeList edges_between(const Fabric& fabric, const Pairs& pairs) {
    EdgeList edges;
    for (const auto& [from, to] : pairs) { edges.edges.push_back({{.src = fabric.gpu(from), .dst = fabric.gpu(to)}}); }
    return edges;
}

inline void check_equal(const Timeline& a, const Timeline& b) {
    REQUIRE(a.kept.size() == b.kept.size());
    CHECK(a.makespan == b.makespan);
    for (std::size_t i = 0; i < a.kept.size(); ++i) {
        INFO("operation " << i);
        REQUIRE(a.kept[i].start == b.kept[i].start);
        REQUIRE(a.kept[i].release == b.kept[i].release);
        REQUIRE(a.kept[i].finish == b.kept[i].finish);
    }
    CHECK(a.packets->hops == b.packets->hops);
    CHECK(a.packets->delivered == b.packets->delivered);
    CHECK(a.packets->delivered_bytes == b.packets->delivered_bytes);
    CHECK(a.packets->marks == b.packets->marks);
    CHECK(a.packets->pauses == b.packets->pauses);
    CHECK(a.packets->paused == b.packets->paused);
    CHECK(a.packets->starved == b.packets->starved);
    CHECK(a.packets->throttled == Approx(b.packets->throttled));
    CHECK(a.packets->fct_max == b.packets->fct_max);
    REQUIRE(a.packets->ports.size() == b.packets->ports.size());
    for (std::size_t i = 0; i < a.packets->ports.size(); ++i) {
        CHECK(a.packets->ports[i].link == b.packets->ports[i].link);
        CHECK(a.packets->ports[i].bytes == b.packets->ports[i].bytes);
        CHECK(a.packets->ports[i].most_queued == b.packets->ports[i].most_queued);
    }
    REQUIRE(a.busiest.size() == b.busiest.size());
    for (std::size_t i = 0; i < a.busiest.size(); ++i) { CHECK(a.busiest[i].bytes == b.busiest[i].bytes); }
}

struct Both {
    Timeline with, without;
};

// With reuse and without; with reuse also on so many threads, which is held against one. What is simulated whole is the
// same on any number of threads by agreement_test.cpp. Two threads go where a third, for which a small machine has no
// core, would meet nothing that it does not meet elsewhere. A quick run gives them to every fourth that asks: to wait
// for each other at half a million windows takes longer than all else.
inline Both replayed(const Fabric& fabric, const Schedule& schedule, Packet options, int threads = 1) {
    Both both;
    both.with = replay(options, fabric, schedule);
    static int asked = 0;
    if (threads > 1 && (asked++ % 4 == 0 || testing::thorough())) {
        Packet shared = options;
        shared.threads = threads;
        shared.share_all_windows = true;
        const Timeline on_threads = replay(shared, fabric, schedule);
        INFO(threads << " threads against one");
        check_equal(on_threads, both.with);
        CHECK(on_threads.packets->windows == both.with.packets->windows);
    }
    options.reuse = false;
    both.without = replay(options, fabric, schedule);
    return both;
}

// Without congestion control nobody heeds a mark, and those of a skipped call are the recorded one's: none here.
inline std::vector<Packet> policies() {
    Packet lossless = packets();
    lossless.ecn.k_min = lossless.ecn.k_max = 1e9;
    Packet credits = packets(FlowControl::credits);
    credits.island_flow_control = FlowControl::credits;
    credits.ecn = lossless.ecn;
    Packet dcqcn = packets(FlowControl::pfc);
    dcqcn.congestion_control = CongestionControl::dcqcn;
    return {lossless, credits, dcqcn};
}

}  // namespace fabricast::testing
