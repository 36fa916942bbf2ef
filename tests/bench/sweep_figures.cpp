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

// Seconds of the whole command; negative where it failed.
double seconds_of(const std::string& command) {
    const auto start = std::chrono::steady_clock::now();
    const int status = std::system(command.c_str());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return status == 0 ? seconds : -1;
}

// One rank and two, one thread each, on the same points: start of mpirun and of the program included.
void mpi_speedup() {
    const fs::path folder = fs::temp_directory_path() / ("fabricast_bench_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "sweep.yaml") << sweep_text(400);
    const auto ranks = [&](int count) {
        return seconds_of(
            "cd '" + folder.string() + "' && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n " +
            std::to_string(count) + " '" FABRICAST_PROGRAM "' sweep sweep.yaml --threads 1 --quiet --out " +
            std::to_string(count) + ".csv >/dev/null 2>&1");
    };
    double one = ranks(1);
    double two = ranks(2);
    for (int again = 0; again < 2 && one > 0 && two > 0; ++again) {
        one = std::min(one, ranks(1));
        two = std::min(two, ranks(2));
    }
    if (one > 0 && two > 0) {
        std::printf("# sweep_mpi2_speedup: %.2f s with one rank, %.2f s with two\n", one, two);
        figure("sweep_mpi2_speedup", one / two, "");
    } else {
        std::printf("# sweep_mpi2_speedup: no mpirun here, or a build without MPI\n");
    }
    fs::remove_all(folder);
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
    if (wanted(names, "sweep_mpi2_speedup")) { mpi_speedup(); }
}

}  // namespace fabricast::bench
