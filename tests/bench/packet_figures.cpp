// The packet engine: packet-hops a second on a fat tree of 1,024 hosts, a whole all-reduce of 1,024 GPUs, and how far
// it is from the fluid engine where nothing is congested.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/algorithms/program.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"
#include "tests/sim/engines/packet/held_against.hpp"
#include "tests/sim/engines/random_sharing.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::bench {

namespace {

constexpr std::uint32_t hosts = 1024;

// k = 16: 128 edge, 128 aggregation and 64 core switches, 400 Gb/s and 500 ns a link.
Fabric fat_tree_1024() {
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 16);
    spec.link = tiny::link(LinkFamily::ethernet, 50, nanoseconds(500));
    spec.switch_latency = {};
    spec.choice = PathChoice::ecmp;
    spec.tiers = 3;
    return Fabric(tiny::cluster(hosts, 1, spec));
}

Packet with_pfc_and_dcqcn() {
    Packet options;
    options.flow_control = FlowControl::pfc;
    options.congestion_control = CongestionControl::dcqcn;
    options.buffer = Bytes{4'000'000};
    options.alpha = 0.0625;
    options.ecn = {160, 640, 0.2};
    return options;
}

PathQuery between(const Fabric& fabric, std::uint32_t from, std::uint32_t to, std::uint32_t label) {
    return {.src = fabric.nic(from, 0), .dst = fabric.nic(to, 0), .flow_label = label, .kind = PathKind::network};
}

// Half way round: host h of edge switch e goes up by the h-th aggregation switch and its e-th core, so that no two
// share a link. The label that hashes there is searched for.
std::uint32_t label_without_contention(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
    std::map<LinkId, std::map<LinkId, std::uint32_t>> ways;
    for (std::uint32_t label = 0; label < 4000; ++label) {
        const Path path = fabric.path(between(fabric, from, to, label));
        ways[path.links[1]].try_emplace(path.links[2], label);
    }
    const auto& second = std::next(ways.begin(), from % 8)->second;
    return std::next(second.begin(), from / 8 % 8)->second;
}

Schedule shift(const Fabric& fabric, std::int64_t bytes) {
    Schedule schedule;
    for (std::uint32_t h = 0; h < hosts; ++h) {
        const std::uint32_t to = (h + hosts / 2) % hosts;
        schedule.connections.push_back({between(fabric, h, to, label_without_contention(fabric, h, to))});
        schedule.kept.push_back(schedule.add(Transfer{h, {bytes}, {}}));
    }
    return schedule;
}

Schedule permutation(const Fabric& fabric, std::int64_t bytes) {
    std::vector<std::uint32_t> to(hosts);
    for (std::uint32_t h = 0; h < hosts; ++h) { to[h] = h; }
    testing::Random random;
    for (std::uint32_t h = hosts - 1; h > 0; --h) {
        std::swap(to[h], to[static_cast<std::uint32_t>(random.unit() * (h + 1))]);
    }
    Schedule schedule;
    for (std::uint32_t h = 0; h < hosts; ++h) {
        if (to[h] != h) {
            const auto c = static_cast<std::uint32_t>(schedule.connections.size());
            schedule.connections.push_back({between(fabric, h, to[h], h)});
            schedule.kept.push_back(schedule.add(Transfer{c, {bytes}, {}}));
        }
    }
    return schedule;
}

double check_sum(const Timeline& timeline) {
    double sum = 0;
    for (std::size_t i = 0; i < timeline.kept.size(); ++i) {
        sum += static_cast<double>(timeline.kept[i].finish.ps % 1'000'003) * static_cast<double>(i + 1);
    }
    return sum;
}

// [CPU seconds of the replay, packet-hops, check sum, bytes in flight, windows, pauses, marks, simulated, wall seconds]
std::vector<double> timed(const Fabric& fabric, const Schedule& schedule, const Packet& options) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    const Timeline timeline = replay(options, fabric, schedule);
    const double seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const PacketUse& use = *timeline.packets;
    return {seconds,
            static_cast<double>(use.hops),
            check_sum(timeline),
            use.bytes_in_flight,
            static_cast<double>(use.windows),
            static_cast<double>(use.pauses),
            static_cast<double>(use.marks),
            to_seconds(timeline.makespan),
            wall};
}

// Turn by turn, the best of each: a neighbour's burst then meets one thread as likely as two.
void threads_figure() {
    const Fabric fabric = fat_tree_1024();
    const Schedule schedule = shift(fabric, 8 << 20U);
    Packet two = with_pfc_and_dcqcn();
    two.threads = 2;
    std::vector<double> walls, walls_of_two;
    bool identical = true;
    for (int turn = 0; turn < 7; ++turn) {
        const std::vector<double> alone = timed(fabric, schedule, with_pfc_and_dcqcn());
        const std::vector<double> both = timed(fabric, schedule, two);
        walls.push_back(alone[8]);
        walls_of_two.push_back(both[8]);
        identical = identical && alone[2] == both[2];
    }
    const double one = *std::ranges::min_element(walls), pair = *std::ranges::min_element(walls_of_two);
    std::printf("# one thread: %.3f s, two: %.3f s, best of 7 turns each; %s output\n", one, pair,
                identical ? "identical" : "ANOTHER");
    figure("packet_threads2_speedup", one / pair, "x");
}

void speed_figures() {
    const Fabric fabric = fat_tree_1024();
    const Schedule clean = shift(fabric, 8 << 20U);
    const Schedule congested = permutation(fabric, 4 << 20U);
    double in_flight = 0;
    for (const auto* which : {&clean, &congested}) {
        const Measured one = best_of(3, [&] { return timed(fabric, *which, with_pfc_and_dcqcn()); });
        const bool is_clean = which == &clean;
        const std::vector<double>& r = one.result;
        std::printf(
            "# %s: %.0f packet-hops in %.2f s (%.2f s CPU, %.0f MiB), simulated %.0f us in %.0f windows, "
            "%.0f pauses, %.0f marks\n",
            is_clean ? "contention-free shift" : "random permutation", r[1], r[0], one.cpu_s, one.rss_MiB, r[7] * 1e6,
            r[4], r[5], r[6]);
        figure(is_clean ? "packet_hops_per_s_1024_clean" : "packet_hops_per_s_1024_congested", r[1] / r[0], "1/s");
        in_flight = std::max(in_flight, r[3]);
    }
    figure("packet_bytes_in_flight", in_flight, "B");
}

// One call of the collective, as planned, on every core: as `run` does.
void all_reduce_figure(const std::string& name, const std::string& cluster) {
    const Measured measured = best_of(1, [&] {
        const Scenario written =
            parse_scenario("name: " + name + "\ncluster: " + cluster +
                               "\nworkload: {kind: collective, collective: all_reduce, algorithm: ring, protocol: "
                               "simple, sizes: [64 MiB]}\n"
                               // Without NVLS, whose graph would have NCCL keep 16 channels.
                               "library: {env: {NCCL_MIN_NCHANNELS: 8, NCCL_MAX_NCHANNELS: 8, NCCL_NVLS_ENABLE: "
                               "0}}\nengine: packet\n",
                           "bench.yaml");
        const Catalog catalog = read_catalog();
        const Fabric fabric(build(written, catalog));
        const Scenario scenario = with_engine(written, fabric, catalog, cores());
        const auto& workload = std::get<CollectiveWorkload>(scenario.workload);
        const CallPlan planned =
            Planner(workload, fabric, scenario.library, scenario.launch, catalog).plan(Bytes{64 << 20U});
        Schedule once;
        once.edge_sets = planned.schedule.edge_sets;
        once.stages = planned.schedule.stages;
        Pipeline pipeline = planned.schedule.pipelines.front();
        pipeline.occupancy_count = 0;
        once.add(pipeline);
        const double fluid = to_seconds(replay(Flow{}, fabric, once).makespan);
        std::vector<double> result = timed(fabric, once, std::get<Packet>(scenario.engine));
        result.push_back(fluid);
        result.push_back(planned.channels);
        return result;
    });
    const std::vector<double>& r = measured.result;
    std::printf(
        "# %s: %.0f packet-hops in %.0f windows on %zu threads, %.1f M/s, %.1f s CPU, %.0f MiB, %.0f channels; "
        "all-reduce in %.3f ms (flow %.3f ms)\n",
        name.c_str(), r[1], r[4], cores(), r[1] / r[0] * 1e-6, measured.cpu_s, measured.rss_MiB, r[10], r[7] * 1e3,
        r[9] * 1e3);
    figure(name, measured.wall_s, "s");
}

// The table of docs/packet.md.
struct Calm {
    const char* what;
    std::uint32_t nodes;
    double chunks, chunk;
    bool cyclic;
    std::int64_t island_mtu = 4096;
    bool table_only = false;  // shown, but outside the figure: the docs say why
};

void agreement_figure() {
    const Calm cases[] = {
        {"ring of 4 GPUs on NVSwitch, 200 chunks of 512 KiB", 1, 200, 524288, true},
        {"the same in units of 256 B", 1, 200, 524288, true, 256},
        {"ring of 3 nodes, 220 chunks of 512 KiB", 3, 220, 524288, true},
        {"the same in units of 256 B inside the nodes", 3, 220, 524288, true, 256},
        {"chain over 3 nodes, 300 chunks of 512 KiB", 3, 300, 524288, false},
        {"ring of 3 nodes, 220 chunks of 16 KiB: four packets a chunk", 3, 220, 16384, true, 4096, true},
    };
    double worst = 0;
    std::printf("# | uncontended | flow | packet | difference |\n# |---|---|---|---|\n");
    for (const Calm& c : cases) {
        const Fabric fabric(c.nodes == 1 ? tiny::one_node(4)
                                         : tiny::cluster(c.nodes, 4, tiny::fabric(FabricKind::rail_optimized)));
        Schedule schedule;
        NodeRing ring{.nodes = c.nodes, .order = {0, 1, 2, 3}};
        ring.closed = c.cyclic;
        const double ranks = 4.0 * c.nodes;
        const double hops = c.cyclic ? 2 * (ranks - 1) : ranks - 1;
        const double across = c.nodes > 1 ? c.cyclic ? hops * c.nodes / ranks : c.nodes - 1 : 0;
        if (c.nodes > 1) {
            ring.exit_nic = 3;
            ring.entry_nic = 0;
        }
        schedule.edge_sets.push_back(ring);
        schedule.stages.push_back({hops - across, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
        if (c.nodes > 1) {
            schedule.stages.push_back({across, {.src = fabric.gpu(3), .dst = fabric.gpu(4)}, nanoseconds(500)});
        }
        Pipeline p;
        p.chunk = c.chunk;
        p.bytes_per_edge = c.chunks * c.chunk;
        p.cyclic = c.cyclic;
        p.stage_count = static_cast<std::uint32_t>(schedule.stages.size());
        schedule.add(p);
        Packet options;
        options.island_mtu = Bytes{c.island_mtu};
        const double fluid = to_seconds(replay(Flow{}, fabric, schedule).makespan);
        const double packet = to_seconds(replay(options, fabric, schedule).makespan);
        const double percent = (packet / fluid - 1) * 100;
        std::printf("# | %s | %.2f us | %.2f us | %+.2f %% |\n", c.what, fluid * 1e6, packet * 1e6, percent);
        worst = c.table_only ? worst : std::max(worst, std::abs(percent));
    }
    figure("flow_vs_packet_max_pct", worst, "%");
}

// The tables of docs/packet.md; held by tests/sim/engines/packet/held_against_test.cpp.
void held_against_figure() {
    double worst = 0;
    for (const auto& rows : {testing::ns3::all(), testing::uet::small(), testing::uet::large()}) {
        for (const testing::HeldAgainst& row : rows) {
            std::printf("# %-40s %10.3f us, in the other %10.3f us: %+.2f %%\n", row.what.c_str(), row.ours_us,
                        row.other_us, row.percent());
            worst = std::max(worst, std::abs(row.percent()));
        }
    }
    figure("packet_held_against_max_pct", worst, "%");
}

}  // namespace

void packet_figures(const std::vector<std::string>& names) {
    if (wanted(names, "packet_hops_per_s_1024") || wanted(names, "packet_bytes_in_flight")) { speed_figures(); }
    if (wanted(names, "packet_threads2_speedup")) { threads_figure(); }
    if (wanted(names, "roce1024_allreduce_s")) {
        all_reduce_figure(
            "roce1024_allreduce_s",
            "{node: dgx-h100, nodes: 128, fabric: {kind: rail-optimized, link: ethernet-400g, switch: tomahawk-4}}");
    }
    if (wanted(names, "roce1024_hosts_allreduce_s")) {
        all_reduce_figure(
            "roce1024_hosts_allreduce_s",
            "{node: gh200-1x, nodes: 1024, fabric: {kind: fat-tree, link: ethernet-400g, switch: tomahawk-4}}");
    }
    if (wanted(names, "flow_vs_packet_max_pct")) { agreement_figure(); }
    if (wanted(names, "packet_held_against_max_pct")) { held_against_figure(); }
}

}  // namespace fabricast::bench
