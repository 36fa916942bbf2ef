// An algorithm of NCCL is a source and a row: a toy one beside NCCL's own is named, tuned, chosen, planned and
// replayed.

#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Every rank sends its whole buffer to its neighbour on the ring, once, at 10 GB/s a channel.
LoweredCall plan_shift(const Call& call, Schedule& schedule) {
    const nccl::Ring& ring = call.found.rings.front();
    const int channels = call.found.graphs.at("shift").channels;
    Pipeline pipeline;
    pipeline.bytes_per_edge = pipeline.chunk = call.bytes / channels;
    pipeline.edge_rate_cap = 10e9;
    pipeline.weight = channels;
    NodeRing edges;
    edges.order = ring.order;
    return streamed(call, schedule, pipeline, edges, {{1, local_hop(call, ring), {}}}, channels);
}

constexpr nccl::AlgorithmModel shift{
    .name = "Shift",
    .key = "shift",
    .word = Algorithm::direct,
    .simple_only = true,
    .graph = [](const nccl::TopologySearchResult&, const nccl::NodeBandwidths&) { return nccl::Graph{.channels = 4}; },
    .runs = [](const nccl::TuningCase& c) { return c.all_reduce() && !c.several(); },
    .seconds = [](const nccl::TuningCase& c, nccl::Proto proto,
                  double bytes) { return c.seconds(c.latency(proto).base, 1e15, bytes); },
    .plan = plan_shift};

const Catalog& with_shift() {
    static const Catalog catalog = [] {
        Catalog shipped = catalogue();
        add_parts(shipped, {yaml::parse(R"(
nccl-2.98:
  base: nccl-2.30
  version: "2.98"
  algorithms: ring tree shift
  origin: vendor
  source: this test
  figures:
    base_latency.shift: [0 us, 0 us, 7 us]
)",
                                        "shift.yaml")});
        return shipped;
    }();
    return catalog;
}

struct Planned {
    Fabric fabric;
    CallPlan plan;
};

Planned planned(const std::string& nccl, const std::map<std::string, std::string>& env = {},
                Collective collective = Collective::all_reduce) {
    Scenario s;
    s.cluster.node = "dgx-h100";
    collective_of(s).collective = collective;
    s.library.nccl = nccl;
    s.library.env = env;
    const Fabric fabric(build(s, with_shift()));
    std::vector<const nccl::AlgorithmModel*> rows{&shift};
    const nccl::Algorithms shipped = nccl::all_algorithms();
    rows.insert(rows.end(), shipped.begin(), shipped.end());
    return {fabric, Planner(collective_of(s), fabric, s.library, s.launch, with_shift(), rows).plan(Bytes{GiB})};
}

}  // namespace

TEST_CASE("a toy algorithm is chosen, planned and replayed") {
    const auto [fabric, plan] = planned("2.98");
    CHECK(plan.algorithm == Algorithm::direct);
    CHECK(plan.protocol == Protocol::simple);
    CHECK(plan.channels == 4);
    CHECK(plan.tuning_seconds == Approx(7e-6 + GiB / 1e15));
    // GiB in four channels of 10 GB/s.
    const Timeline t = replay(Analytic{}, fabric, plan.schedule);
    CHECK(to_seconds(t.kept[2].finish - t.kept[1].finish) == Approx(GiB / 40e9).epsilon(1e-3));
}

TEST_CASE("a toy algorithm is known to NCCL_ALGO and to its release only") {
    CHECK(planned("2.98", {{"NCCL_ALGO", "^shift"}}).plan.algorithm == Algorithm::ring);
    CHECK(planned("2.98", {{"NCCL_ALGO", "Shift"}}).plan.algorithm == Algorithm::direct);
    CHECK(planned("2.30").plan.algorithm == Algorithm::nvls);  // whose entry does not list it
    CHECK(planned("2.98", {}, Collective::broadcast).plan.algorithm == Algorithm::ring);
    CHECK_THROWS_WITH(planned("2.98", {{"NCCL_ALGO", "spiral"}}),
                      ContainsSubstring("NCCL has no 'spiral' (it has Shift, Tree, Ring"));
}
