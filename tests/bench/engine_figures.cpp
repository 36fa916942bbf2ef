#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/engines/engine.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"
#include "tests/bench/simgrid_forms.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/sim/engines/slow_replay.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::bench {

namespace {

constexpr std::int64_t total_bytes = 1'000'000'000;  // of one rank's buffer

// Ranks are NICs: a path is two links on the star, and two to four on the tree.
struct Setting {
    std::uint32_t ranks;
    FabricSpec spec;

    Fabric fabric() const { return Fabric(tiny::cluster(ranks, 1, spec)); }
};

Setting star(std::uint32_t ranks) { return {ranks, tiny::fabric(FabricKind::single_switch, 2048)}; }

// Two tiers of 32-port switches, every uplink a link of its own chosen by hash.
Setting fat_tree(std::uint32_t ranks) {
    Setting setting{ranks, tiny::fabric(FabricKind::fat_tree, 32)};
    setting.spec.choice = PathChoice::ecmp;
    return setting;
}

Schedule ring(const Fabric& fabric, double jitter) {
    const std::uint32_t n = fabric.node_count();
    return testing::ring(testing::nics(fabric), 2 * (n - 1), total_bytes / n, jitter);
}

Schedule all_to_all(const Fabric& fabric, double jitter, Duration latest = {}) {
    return testing::all_to_all(testing::nics(fabric), total_bytes / fabric.node_count(), jitter, latest);
}

using Make = std::function<Schedule(const Fabric&)>;
using SimGridForm = std::function<double(const Fabric&, const Schedule&)>;

Measured measure_flow(const Setting& setting, const Make& make) {
    return best_of(3, [&] {
        const Fabric fabric = setting.fabric();
        const Timeline timeline = replay(Flow{}, fabric, make(fabric));
        return std::vector<double>{to_seconds(timeline.makespan), static_cast<double>(timeline.solves)};
    });
}

// Largest difference of a finish from that of the slow twin, in parts per million.
double max_error_ppm(const Setting& setting, const Make& make) {
    const Fabric fabric = setting.fabric();
    Schedule schedule = make(fabric);
    for (std::uint32_t op = 0; op < schedule.size(); ++op) { schedule.kept.push_back(OpId{op}); }
    const std::vector<OpTimes> fast = replay(Flow{}, fabric, schedule).kept;
    const std::vector<double> slow = testing::SlowReplay(fabric, schedule).run();
    double worst = 0;
    for (std::size_t op = 0; op < slow.size(); ++op) {
        worst = std::max(worst, std::abs(to_seconds(fast[op].finish) - slow[op]) / slow[op]);
    }
    return worst * 1e6;
}

// One workload: our time, SimGrid's in its fastest form, and the error against the slow twin on `twin`.
struct Workload {
    std::string name;
    Setting setting;
    Setting twin;
    Make make;
    std::vector<SimGridForm> forms;
    bool rate = false;  // print messages a second
};

void report(const Workload& w) {
    const Measured ours = measure_flow(w.setting, w.make);
    const auto messages = static_cast<double>(w.make(w.setting.fabric()).size());
    std::printf("# %s: %.0f messages, %.4f s CPU, %.4f s wall, %.0f MiB, %.0f solves\n", w.name.c_str(), messages,
                ours.cpu_s, ours.wall_s, ours.rss_MiB, ours.result[1]);
    if (w.rate) { figure(w.name + "_msgs_per_s", messages / ours.wall_s, "1/s"); }
    double best = 0;
    for (const SimGridForm& form : has_simgrid() ? w.forms : std::vector<SimGridForm>{}) {
        const Measured theirs = in_child([&] {
            const Fabric fabric = w.setting.fabric();
            return std::vector<double>{form(fabric, w.make(fabric))};
        });
        const double difference = theirs.result[0] / ours.result[0] - 1;
        std::printf("#   SimGrid: %.3f s CPU, %.0f MiB, makespan %+.3g of ours\n", theirs.cpu_s, theirs.rss_MiB,
                    difference);
        best = best == 0 ? theirs.cpu_s : std::min(best, theirs.cpu_s);
    }
    if (best > 0) { figure(w.name + "_vs_simgrid", best / ours.cpu_s, "x"); }
    figure(w.name + "_max_error_ppm", max_error_ppm(w.twin, w.make), "ppm");
}

std::vector<Workload> workloads() {
    const SimGridForm ring_actors = [](const Fabric& f, const Schedule& s) { return simgrid_ring_actors(f, s, true); };
    const SimGridForm one_sided_lazy = [](const Fabric& f, const Schedule& s) { return simgrid_one_sided(f, s, true); };
    const SimGridForm one_sided_full = [](const Fabric& f, const Schedule& s) {
        return simgrid_one_sided(f, s, false);
    };
    const SimGridForm exchange_actors = [](const Fabric& f, const Schedule& s) {
        return simgrid_all_to_all_actors(f, s, false);
    };
    return {
        {"ring1024",
         star(1024),
         star(256),
         [](const Fabric& f) { return ring(f, 0); },
         {ring_actors, one_sided_lazy},
         true},
        {"ring1024_jitter",
         star(1024),
         star(256),
         [](const Fabric& f) { return ring(f, 0.1); },
         {ring_actors, one_sided_lazy},
         true},
        {"alltoall256",
         star(256),
         star(64),
         [](const Fabric& f) { return all_to_all(f, 0); },
         {exchange_actors, one_sided_full}},
        {"alltoall64_jitter",
         star(64),
         star(64),
         [](const Fabric& f) { return all_to_all(f, 0.5); },
         {one_sided_full, exchange_actors}},
    };
}

}  // namespace

void engine_figures(const std::vector<std::string>& names) {
    for (const Workload& workload : workloads()) {
        if (wanted(names, workload.name)) { report(workload); }
    }
    if (wanted(names, "alltoall256_jitter_fattree")) {
        // Sizes +-50 %, starts anywhere in the time that the exchange takes: nothing coincides.
        const Make make = [](const Fabric& f) { return all_to_all(f, 0.5, microseconds(40'000)); };
        const Measured ours = measure_flow(fat_tree(256), make);
        std::printf("# alltoall256_jitter_fattree: %.2f s CPU, %.0f MiB, %.0f solves\n", ours.cpu_s, ours.rss_MiB,
                    ours.result[1]);
        figure("alltoall256_jitter_fattree_s", ours.wall_s, "s");
        figure("alltoall256_jitter_fattree_max_error_ppm", max_error_ppm(fat_tree(64), make), "ppm");
    }
}

}  // namespace fabricast::bench
