// SimGrid itself reads the exported platform: hosts, and for each pair the route, bandwidths and latency of
// Fabric::path.
#include <cstdio>
#include <fstream>
#include <simgrid/s4u.hpp>

#include "tests/support/tiny_clusters.hpp"
#include "topologies/export.hpp"

using namespace fabricast;

namespace {

int failures = 0;

void check(bool holds, const std::string& what) {
    if (!holds) {
        std::fprintf(stderr, "FAILED: %s\n", what.c_str());
        ++failures;
    }
}

bool close(double a, double b) { return a - b < 1e-9 * b && b - a < 1e-9 * b; }

}  // namespace

int main(int argc, char** argv) {
    simgrid::s4u::Engine engine(&argc, argv);
    FabricSpec ecmp = tiny::fabric(FabricKind::fat_tree, 4);
    ecmp.choice = PathChoice::ecmp;
    const Fabric fabric(tiny::cluster(8, 2, ecmp));
    const std::string file = "simgrid_platform_test.xml";
    std::ofstream(file) << to_simgrid(fabric);
    engine.load_platform(file);

    check(engine.get_host_count() == fabric.gpu_count(), "a host for each GPU");
    for (std::uint32_t src = 0; src < fabric.gpu_count(); ++src) {
        for (std::uint32_t dst = 0; dst < fabric.gpu_count(); ++dst) {
            if (src == dst) { continue; }
            PathQuery query;
            query.src = fabric.gpu(src);
            query.dst = fabric.gpu(dst);
            const Path path = fabric.path(query);
            const std::string pair = fabric.device_name(query.src) + " to " + fabric.device_name(query.dst);
            std::vector<simgrid::s4u::Link*> links;
            double latency = 0;
            engine.host_by_name(fabric.device_name(query.src))
                ->route_to(engine.host_by_name(fabric.device_name(query.dst)), links, &latency);
            check(links.size() == path.count, pair + ": as many links");
            check(close(latency, to_seconds(path.latency)), pair + ": the same latency");
            for (std::size_t i = 0; i < links.size() && i < path.count; ++i) {
                check(close(links[i]->get_bandwidth(), fabric.link(path.links[i]).capacity), pair + ": bandwidth");
                check(links[i]->get_property("name") == fabric.link_name(path.links[i]), pair + ": the same link");
            }
        }
    }
    std::remove(file.c_str());
    return failures == 0 ? 0 : 1;
}
