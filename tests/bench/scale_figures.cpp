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
    std::string collective;
    std::string sizes;
    std::string engine = "flow";
};

// As many tiers as it takes: three join up to 65,536 NICs with 64-port switches, a million take four.
std::string scenario_text(const Scale& scale) {
    return "name: " + scale.name + "\ncluster: {node: dgx-h100, nodes: " + std::to_string(scale.gpus / 8) +
           ", fabric: {kind: rail-optimized, link: infiniband-ndr, switch: quantum-2}}\n" +
           "workload: {kind: collective, collective: " + scale.collective + ", sizes: " + scale.sizes +
           "}\nengine: " + scale.engine + "\n";
}

}  // namespace

// The catalogue is read, the cluster built, the schedule planned and replayed, the report made: on two threads.
void scale_figures(const std::vector<std::string>& names) {
    const std::vector<Scale> scales = {
        {"h100_16384_sweep_s", "h100_16384_rss_MiB", 16384, "all_reduce", "{from: 8 B, to: 8 GiB, factor: 2}"},
        {"h100_131072_s", "h100_131072_rss_MiB", 131072, "all_reduce", "[1 GiB]"},
        {"h100_1048576_s", "h100_1048576_rss_MiB", 1048576, "all_reduce", "[1 GiB]"},
        {"alltoall_16384_s", "alltoall_16384_rss_MiB", 16384, "all_to_all", "[1 GiB]"},
        {"packet_alltoall_64_s", "packet_alltoall_64_rss_MiB", 64, "all_to_all", "[1 MiB]", "packet"},
        {"packet_alltoall_256_s", "packet_alltoall_256_rss_MiB", 256, "all_to_all", "[1 MiB]", "packet"},
        {"packet_alltoall_1024_s", "packet_alltoall_1024_rss_MiB", 1024, "all_to_all", "[1 MiB]", "packet"},
    };
    for (const Scale& scale : scales) {
        if (!wanted(names, scale.name)) { continue; }
        const Measured measured = best_of(scale.engine == "packet" ? 1 : 3, [&] {
            const Scenario scenario = parse_scenario(scenario_text(scale), "bench.yaml");
            SimulateOptions options;
            options.threads = 2;
            const Report report = simulate(scenario, read_catalog(), {}, {}, options);
            return std::vector<double>{static_cast<double>(report.rows.size()), report.rows.back().busbw};
        });
        std::printf("# %s: %.0f rows, busbw of the last %.1f GB/s, %.2f s CPU\n", scale.name.c_str(),
                    measured.result[0], measured.result[1] * 1e-9, measured.cpu_s);
        figure(scale.name, measured.wall_s, "s");
        figure(scale.rss_name, measured.rss_MiB, "MiB");
    }
}

}  // namespace fabricast::bench
