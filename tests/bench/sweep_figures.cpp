#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/run/sweep/sweep.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"
#include "tests/bench/ranks.hpp"

namespace fabricast::bench {

namespace {

namespace fs = std::filesystem;

// What a planner would ask of a fabric for GPT-3 on 1,024 GPUs: how to cut the model, and what the network may cost.
std::string sweep_text(int points) {
    return "name: gpt3-1024\n"
           "cluster: {node: dgx-a100, nodes: 128, options: {gpu: a100-sxm4-80}, fabric: {kind: fat-tree}}\n"
           "workload: {kind: training, model: gpt3-175b, precision: fp16, attention: unfused, recompute: full,\n"
           "  global_batch: 1536, sharding: zero-1, parallelism: {tensor: 8, pipeline: 16}}\n"
           "sweep: {random: {points: " +
           std::to_string(points) +
           ", seed: 7, ranges: {workload.parallelism.pipeline: [8, 16],\n"
           "  workload.parallelism.tensor: [4, 8], workload.micro_batch: [1, 2],\n"
           "  cluster.fabric.oversubscription: {from: 1.00, to: 4.00},\n"
           "  cluster.fabric.cable_latency: {from: 0.010 us, to: 2.000 us}}}}\n";
}

std::vector<double> run_all(int points) {
    const Sweep sweep = prepare_sweep(scenario_tree(sweep_text(points), "bench.yaml"), "bench.yaml", {},
                                      [](const Scenario&) { return read_catalog(); });
    SweepOutcomes outcomes;
    const std::vector<std::size_t> distinct = distinct_points(sweep);
    run_points(sweep, distinct, 2, nullptr, [&](std::size_t point, const SweepOutcome& outcome) {
        outcomes.emplace(sweep.read[point].key, outcome);
    });
    const SweepResult result = sweep_result(sweep, outcomes);
    return {static_cast<double>(distinct.size()), static_cast<double>(failed_points(result))};
}

void points_per_second() {
    constexpr int points = 1000;
    const Measured measured = best_of(3, [] { return run_all(points); });
    std::printf("# sweep_points_per_s: %.0f distinct points of %d, %.0f failed, %.1f s, %.1f s CPU, %.0f MiB\n",
                measured.result[0], points, measured.result[1], measured.wall_s, measured.cpu_s, measured.rss_MiB);
    figure("sweep_points_per_s", measured.result[0] / measured.wall_s, "1/s");
}

// The whole program for one short table: what a user waits before anything is computed.
void startup() {
    const std::string command =
        "'" FABRICAST_PROGRAM "' run '" FABRICAST_SOURCE_DIR "/scenarios/dgx-h100-nvls.yaml' --quiet >/dev/null";
    double best = seconds_of(command);
    for (int again = 0; again < 20; ++again) { best = std::min(best, seconds_of(command)); }
    figure("startup_ms", 1e3 * best, "ms");
}

}  // namespace

void sweep_figures(const std::vector<std::string>& names) {
    if (wanted(names, "startup_ms")) { startup(); }
    if (wanted(names, "sweep_points_per_s")) { points_per_second(); }
    if (wanted(names, "sweep_mpi2_speedup")) { ranks_speedup("sweep_mpi2_speedup", sweep_text(400), "sweep", "--out"); }
}

}  // namespace fabricast::bench
