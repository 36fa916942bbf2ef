// NCCL's copies on one GPU (probe-nccl --as-nodes), held against the model with adapters of that latency. None of these
// files is fitted: what NCCL's kernels and proxies add to a hop comes from clusters of other people.

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "validate/curves/curve.hpp"
#include "validate/import/measurement.hpp"

using namespace fabricast;

namespace {

// us by size of one curve of a file.
std::map<std::int64_t, double> measured(const std::string& run, std::string_view env) {
    const std::string folder = FABRICAST_SOURCE_DIR "/validate/measurements/one-gpu/";
    std::map<std::int64_t, double> times;
    for (const Measurement& m : split_series(read_measurement(folder + "h100-copies-" + run + "-2026-11-26.yaml"))) {
        if (!text(m.software, "env").ends_with(env) || text(m.benchmark, "collective") != "all_reduce") { continue; }
        for (const CurvePoint& point : read_curve(m, 1).points) { times[point.size.count] = 1e6 * point.seconds; }
    }
    REQUIRE_FALSE(times.empty());
    return times;
}

// `cable_us`: two cables and what else a hop crosses make the adapters' own time one way.
double forecast_us(int nodes, const char* protocol, std::int64_t size, double cable_us, int channels = 0) {
    const std::string env =
        channels == 0 ? "" : fmt::format(", env: {{NCCL_MIN_NCHANNELS: '{0}', NCCL_MAX_NCHANNELS: '{0}'}}", channels);
    const Scenario scenario = parse_scenario(
        fmt::format("name: copies\ncluster:\n  node: {{gpus: {{part: h100-sxm, count: 1, joined: pcie}}, cpus: {{part: "
                    "xeon-sapphire-rapids, count: 1}}, pcie: one GPU and one NIC a switch, nics: {{part: connectx-7, "
                    "count: 1}}}}\n  nodes: {}\n  fabric: {{kind: single-switch, cable_latency: {} us}}\n"
                    "workload: {{kind: collective, algorithm: ring, protocol: {}, sizes: [{} B]}}\n"
                    "library: {{nccl: '2.28'{}}}\n",
                    nodes, cable_us, protocol, size, env),
        "copies.yaml");
    return 1e6 * simulate(scenario, catalogue()).rows.front().time_s;
}

}  // namespace

TEST_CASE("what a hop of LL costs between nodes is right on one GPU, on two, four and eight nodes") {
    // Adapters of 6.6 us one way; the catalogue's own path takes 2.8 us with cables of 0.6.
    for (const int nodes : {2, 4, 8}) {
        const auto times = measured(fmt::format("gated-forced-{}", nodes), "NCCL_ALGO=Ring NCCL_PROTO=LL");
        for (const std::int64_t size : {512, 2048, 8192}) {
            const double ours = forecast_us(nodes, "ll", size, 2.4);
            UNSCOPED_INFO(fmt::format("figure: copies_{}_nodes_{}B_ratio {:.2f}", nodes, size, ours / times.at(size)));
            INFO(nodes << " nodes, " << size << " B: " << ours << " us for " << times.at(size));
            CHECK(std::abs(std::log(ours / times.at(size))) < std::log(1.25));
        }
    }
}

TEST_CASE("what a hop of LL128 and of Simple costs between nodes is right on one GPU") {
    for (const auto& [protocol, word] : {std::pair{"ll128", "LL128"}, {"simple", "Simple"}}) {
        const auto times = measured("forced-2", fmt::format("NCCL_ALGO=Ring NCCL_PROTO={}", word));
        const double ours = forecast_us(2, protocol, 2048, 1.2);  // adapters of 4.1 us
        INFO(protocol << ": " << ours << " us for " << times.at(2048));
        CHECK(std::abs(std::log(ours / times.at(2048))) < std::log(1.25));
    }
}

TEST_CASE("a channel of a ring moves a chunk a hop, whatever its link could stream") {
    const std::int64_t size = 32 << 20;
    const auto one = measured("gated-ch1-2", "NCCL_ALGO=Ring NCCL_PROTO=LL");
    const auto two = measured("gated-ch2-2", "NCCL_ALGO=Ring NCCL_PROTO=LL");
    CHECK(one.at(size) / two.at(size) > 1.5);
    const double ours = forecast_us(2, "ll", size, 2.4, 1);
    CHECK(ours / forecast_us(2, "ll", size, 2.4, 2) > 1.5);
    INFO(ours << " us for " << one.at(size));
    CHECK(std::abs(std::log(ours / one.at(size))) < std::log(1.6));
}
