// What a plan rests on: its evidence, figures and notes, and what is refused.

#include <algorithm>
#include <string>

#include "sim/plan/collectives/costs.hpp"
#include "tests/sim/plan/collectives/planned_system.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("a forced algorithm that cannot run is refused with what would") {
    const PlannedSystem nvls{.node = "dgx-a100", .algorithm = Algorithm::nvls};
    CHECK_THROWS_WITH(plan_of(nvls, MiB), ContainsSubstring("nvls cannot run") && ContainsSubstring("Ring/LL"));
    const PlannedSystem gather{.node = "dgx-a100", .collective = Collective::all_gather, .algorithm = Algorithm::tree};
    CHECK_THROWS_AS(plan_of(gather, MiB), PlanError);
    const PlannedSystem p2p{.node = "dgx-a100", .collective = Collective::all_to_all, .algorithm = Algorithm::ring};
    CHECK_THROWS_WITH(plan_of(p2p, MiB), ContainsSubstring("ring has no form of all_to_all"));
    const PlannedSystem unknown{.node = "dgx-a100", .env = {{"NCCL_ALGO", "Rung"}}};
    CHECK_THROWS_WITH(plan_of(unknown, MiB), ContainsSubstring("Rung"));
    CHECK_THROWS_AS(plan_of({"dgx-a100", 1, 1}, MiB), PlanError);
}

TEST_CASE("an environment variable that is not modelled leaves a note") {
    const CallPlan p = plan_of({.node = "dgx-a100", .env = {{"NCCL_SOCKET_IFNAME", "eth0"}}}, MiB);
    CHECK(std::any_of(p.notes.begin(), p.notes.end(),
                      [](const std::string& note) { return note.find("NCCL_SOCKET_IFNAME") != std::string::npos; }));
}

TEST_CASE("every figure that a plan reports moves its time") {
    struct Probe {
        PlannedSystem system;
        std::int64_t bytes;
        std::vector<std::string> idle;  // figures read but not binding at this point
    };
    const std::vector<Probe> probes{
        {{"dgx-h100"}, 512 * KiB, {"process.issue", "ll.wire"}},
        {{"dgx-h100"}, GiB, {"process.issue", "nvls.chunk_overhead"}},
        {{.node = "dgx-a100", .collective = Collective::all_gather},
         GiB,
         {"process.issue", "simple.channel_rate", "simple.hop"}},
        {{.node = "dgx-a100", .collective = Collective::all_to_all}, GiB, {"process.issue", "p2p.channel_rate"}},
        {{"dgx-h100", 4}, 64 * KiB, {"process.issue", "ll.channel_rate", "ll.fill"}},
        {{"dgx-h100", 2}, GiB, {"process.issue", "net_ib.post", "wire"}},
    };
    for (const Probe& probe : probes) {
        const double before = seconds_of(probe.system, probe.bytes);
        for (const FigureUsed& figure : plan_of(probe.system, probe.bytes).figures) {
            if (std::find(probe.idle.begin(), probe.idle.end(), figure.figure) != probe.idle.end()) { continue; }
            INFO(probe.system.node << " x " << probe.system.nodes << ", " << probe.bytes << " B: " << figure.part << " "
                                   << figure.figure);
            // Rates slow when smaller, costs when larger: one of both must move the time.
            const double more = seconds_of(probe.system, probe.bytes, with(figure.part, figure.figure, 1.5));
            const double less = seconds_of(probe.system, probe.bytes, with(figure.part, figure.figure, 0.5));
            CHECK((more != before || less != before));
        }
    }
}

TEST_CASE("evidence is strong at home and weak far from the data") {
    CHECK(plan_of({"dgx-h100"}, GiB).evidence == Evidence::same_gpu_era_fabric);
    // A figure that matters is hardly told by the A100s' data; which is which stands in evidence_test.cpp.
    CHECK(plan_of({.node = "dgx-a100", .nccl = "2.27"}, GiB).evidence == Evidence::same_family);
    CHECK(plan_of({"gb200-nvl72"}, GiB).evidence == Evidence::same_family);
    CHECK(plan_of({"dgx-p100"}, MiB).evidence == Evidence::formula_only);
    const CallPlan far = plan_of({"dgx-h100", 64}, GiB);
    CHECK(far.evidence == Evidence::formula_only);
    CHECK_FALSE(far.evidence_notes.empty());
    CHECK(far.relative_high80 >= 0.5);
    CHECK(plan_of({"dgx-h100"}, GiB).relative_high80 < far.relative_high80);
}

TEST_CASE("a transport is named by its part, by its family, or follows from the link") {
    const auto transport = [](const std::string& named, bool gpu_direct = true) {
        Scenario s = scenario_of({"dgx-a100", 2});
        const Fabric fabric(build(s, catalogue()));
        s.library.network_plugin = named;
        return cost_parts(catalogue(), fabric, {2, 27, 0}, s.library, gpu_direct).transport->name;
    };
    CHECK(transport("") == "transport-ib-hdr");
    CHECK(transport("infiniband") == "transport-ib-hdr");
    CHECK(transport("", false) == "transport-ib-hdr-nogdr");
    CHECK(transport("roce") == "transport-roce");
    CHECK(transport("transport-efa-v2") == "transport-efa-v2");
    CHECK_THROWS_WITH(transport("pigeon"), ContainsSubstring("pigeon") && ContainsSubstring("transport-roce"));
}

TEST_CASE("figures measured here say so") {
    Catalog here = catalogue();
    for (const char* part : {"nccl-hopper-nvswitch", "nccl-kernels", "nccl-tests"}) {
        for (auto& [name, figure] : here.parts.at(part).figures) {
            figure.source = {std::string(measured_here_prefix) + " my-cluster.yaml"};
        }
    }
    const CallPlan measured = plan_of({"dgx-h100"}, GiB, here);
    CHECK(measured.evidence == Evidence::measured_here);
    // What the measurements hardly told is named.
    here.parts.at("nccl-hopper-nvswitch").figures.at("nvls.rate").source = {std::string(kept_here_source)};
    const CallPlan kept = plan_of({"dgx-h100"}, GiB, here);
    CHECK(kept.evidence == Evidence::measured_here);
    REQUIRE(kept.evidence_notes.size() == measured.evidence_notes.size() + 1);
    CHECK_THAT(kept.evidence_notes.back(), ContainsSubstring("nccl-hopper-nvswitch/nvls.rate"));
}
