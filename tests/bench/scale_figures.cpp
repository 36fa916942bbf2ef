#include <cstdio>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"

namespace fabricast::bench {

namespace {

struct Scale {
    std::string name;  // of the figures; the sweep's memory has its own
    std::string rss_name;
    std::uint32_t gpus;
    std::string workload;
    std::string engine = "flow";
    std::string fabric = "{kind: rail-optimized, link: infiniband-ndr, switch: quantum-2}";
};

Scale collective(std::string name, std::string rss_name, std::uint32_t gpus, const std::string& what,
                 const std::string& sizes, std::string engine = "flow") {
    return {std::move(name), std::move(rss_name), gpus,
            "{kind: collective, collective: " + what + ", sizes: " + sizes + "}", std::move(engine)};
}

// A training step in packets, a sample for each GPU.
Scale step(const std::string& name, std::uint32_t gpus, const std::string& model) {
    return {"packet_step_" + name + "_s", "packet_step_" + name + "_rss_MiB", gpus,
            "{kind: training, " + model + ", global_batch: " + std::to_string(gpus) + ", micro_batch: 1}", "packet"};
}

// The same on RoCE with PFC.
Scale step_on_roce(const std::string& name, std::uint32_t gpus, const std::string& model) {
    Scale scale = step(name, gpus, model);
    scale.fabric = "{kind: fat-tree, link: ethernet-400g}";
    scale.engine = "packet\npacket: {preset: pfc-only}";
    return scale;
}

// As many tiers as it takes: three join up to 65,536 NICs with 64-port switches, a million take four.
std::string scenario_text(const Scale& scale) {
    return "name: " + scale.name + "\ncluster: {node: dgx-h100, nodes: " + std::to_string(scale.gpus / 8) +
           ", fabric: " + scale.fabric + "}\nworkload: " + scale.workload + "\nengine: " + scale.engine + "\n";
}

Report simulated(const Scale& scale, std::size_t threads) {
    SimulateOptions options;
    options.threads = threads;
    return simulate(parse_scenario(scenario_text(scale), "bench.yaml"), read_catalog(), {}, {}, options);
}

// The whole run, set-up too, by the clock: one thread and two in turn, the best of each.
void threads_figure(const Scale& scale) {
    double best[2] = {1e9, 1e9};
    for (int turn = 0; turn < 3; ++turn) {
        for (const std::size_t threads : {1U, 2U}) {
            const Measured run =
                in_child([&] { return std::vector{static_cast<double>(simulated(scale, threads).rows.size())}; });
            best[threads - 1] = std::min(best[threads - 1], run.wall_s);
        }
    }
    std::printf("# one thread: %.2f s, two: %.2f s, best of 3 turns each\n", best[0], best[1]);
    figure(scale.name, best[0] / best[1], "x");
}

}  // namespace

// The catalogue is read, the cluster built, the schedule planned and replayed, the report made: on two threads.
void scale_figures(const std::vector<std::string>& names) {
    const std::vector<Scale> scales = {
        collective("h100_16384_sweep_s", "h100_16384_rss_MiB", 16384, "all_reduce",
                   "{from: 8 B, to: 8 GiB, factor: 2}"),
        collective("h100_131072_s", "h100_131072_rss_MiB", 131072, "all_reduce", "[1 GiB]"),
        collective("h100_1048576_s", "h100_1048576_rss_MiB", 1048576, "all_reduce", "[1 GiB]"),
        collective("alltoall_16384_s", "alltoall_16384_rss_MiB", 16384, "all_to_all", "[1 GiB]"),
        collective("packet_alltoall_64_s", "packet_alltoall_64_rss_MiB", 64, "all_to_all", "[1 MiB]", "packet"),
        collective("packet_alltoall_256_s", "packet_alltoall_256_rss_MiB", 256, "all_to_all", "[1 MiB]", "packet"),
        collective("packet_alltoall_1024_s", "packet_alltoall_1024_rss_MiB", 1024, "all_to_all", "[1 MiB]", "packet"),
        step("13b_8", 8, "model: llama-2-13b, parallelism: {tensor: 8}"),
        step("13b_128", 128, "model: llama-2-13b, parallelism: {tensor: 8}"),
        step("gpt3_1024", 1024, "model: gpt3-175b, parallelism: {tensor: 8, pipeline: 8}"),
        step_on_roce("dsv3_256", 256,
                     "model: deepseek-v3, parallelism: {pipeline: 4, expert: 64}, check_memory: false"),
    };
    for (const Scale& scale : scales) {
        if (!wanted(names, scale.name)) { continue; }
        const Measured measured = best_of(scale.engine == "flow" ? 3 : 1, [&] {
            const Report report = simulated(scale, 2);
            const double last =
                report.rows.empty() ? report.steps.back().tokens_per_s : report.rows.back().busbw * 1e-9;
            return std::vector<double>{static_cast<double>(report.rows.size()), last};
        });
        std::printf("# %s: %.0f rows, of the last %.1f GB/s on the bus or tokens/s, %.2f s CPU\n", scale.name.c_str(),
                    measured.result[0], measured.result[1], measured.cpu_s);
        figure(scale.name, measured.wall_s, "s");
        figure(scale.rss_name, measured.rss_MiB, "MiB");
    }
    Scale alltoall = collective("packet_alltoall_threads2_speedup", "", 256, "all_to_all", "[64 MiB]", "packet");
    Scale thin = step("", 128, "model: llama-2-13b, dimensions: {layers: 1, hidden: 2560}, parallelism: {tensor: 8}");
    thin.name = "packet_step_threads2_speedup";
    thin.engine = "packet\npacket: {reuse: false}";
    for (const Scale& scale : {alltoall, thin}) {
        if (wanted(names, scale.name)) { threads_figure(scale); }
    }
}

}  // namespace fabricast::bench
