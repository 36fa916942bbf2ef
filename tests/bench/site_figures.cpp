#include "discovery/format.hpp"
#include "discovery/site/checks.hpp"
#include "discovery/site/describe.hpp"
#include "discovery/site/export_site.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"
#include "tests/support/trace_files.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::bench {

namespace {

struct LargeSite {
    std::string name, nodes, fabric;
};

}  // namespace

// What `fabricast cluster ib.out --node dgx-h100` does: the file is read, joined, described and checked. The file is
// written by another process, whose memory does not count.
void site_figures(const std::vector<std::string>& names) {
    const std::vector<LargeSite> sites = {
        {"site_400_switches", "360", "{kind: fat-tree, switch: switch-ib-2, link: infiniband-edr, tiers: 3}"},
        {"site_16384_nodes", "16384", "{kind: rail-optimized}"}};
    for (const LargeSite& large : sites) {
        if (!wanted(names, large.name)) { continue; }
        const test::TempFolder folder;
        (void)in_child([&] {
            const std::string text = "name: large\ncluster: {node: dgx-h100, nodes: " + large.nodes +
                                     ", fabric: " + large.fabric +
                                     "}\nworkload: {kind: collective, collective: all_reduce}\n";
            folder.write("ib.out", to_ibnetdiscover(Fabric(build(parse_scenario(text, "bench.yaml"), read_catalog()))));
            return std::vector<double>{};
        });
        const Measured measured = best_of(3, [&] {
            const Catalog catalog = read_catalog();
            std::vector<Observations> seen;
            seen.push_back(observe(*read_source(folder.path() / "ib.out")));
            Site site = join(std::move(seen));
            DescribeOptions options;
            options.node = "dgx-h100";
            const Description made = describe(site, catalog, options);
            const std::size_t findings = check(site, made, catalog, {}).size();
            return std::vector<double>{static_cast<double>(made.nodes), static_cast<double>(findings)};
        });
        std::printf("# %s: %.0f nodes, %.0f findings, %.2f s CPU\n", large.name.c_str(), measured.result[0],
                    measured.result[1], measured.cpu_s);
        figure(large.name + "_s", measured.wall_s, "s");
        figure(large.name + "_rss_MiB", measured.rss_MiB, "MiB");
    }
}

}  // namespace fabricast::bench
