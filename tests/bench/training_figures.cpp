#include <cstdio>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"

namespace fabricast::bench {

namespace {

struct Step {
    std::string name, rss_name;
    std::string text;
};

}  // namespace

// The catalogue is read, the cluster built, the step planned, replayed and accounted.
void training_figures(const std::vector<std::string>& names) {
    const std::vector<Step> steps = {
        {"llama405b_16384_s", "llama405b_16384_rss_MiB",
         "name: llama405b\ncluster: {node: dgx-h100, nodes: 2048}\n"
         "workload: {kind: training, model: llama-3.1-405b, sequence_length: 131072, global_batch: 128, recompute: "
         "full,\n"
         "  parallelism: {tensor: 8, context: 16, pipeline: 16, chunks: 4}, overlap: {tensor: true}}\n"},
        {"gpt3_1024_s", "gpt3_1024_rss_MiB",
         "name: gpt3\ncluster: {node: dgx-a100, nodes: 128, options: {gpu: a100-sxm4-80}}\n"
         "workload: {kind: training, model: gpt3-175b, precision: fp16, attention: unfused, recompute: full,\n"
         "  global_batch: 1536, sharding: ddp, parallelism: {tensor: 8, pipeline: 16, sequence: false}}\n"},
    };
    for (const Step& step : steps) {
        if (!wanted(names, step.name)) { continue; }
        const Measured measured = best_of(3, [&] {
            const Report report = simulate(parse_scenario(step.text, "bench.yaml"), read_catalog());
            return std::vector<double>{report.steps.at(0).step_time_s, report.steps.at(0).mfu};
        });
        std::printf("# %s: a step of %.2f s, MFU %.3f, %.2f s CPU\n", step.name.c_str(), measured.result[0],
                    measured.result[1], measured.cpu_s);
        figure(step.name, measured.wall_s, "s");
        figure(step.rss_name, measured.rss_MiB, "MiB");
    }
}

}  // namespace fabricast::bench
