// What if: each change does to the result what it says, and is a scenario that anybody can run.

#include "sim/run/explain/counterfactual.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "models/catalog_reader.hpp"
#include "sim/run/explain/explanation.hpp"
#include "sim/run/explain/knee.hpp"
#include "sim/run/explain/scenario_text.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Scenario shipped(const std::string& name) {
    return single_point(read_scenario(FABRICAST_SOURCE_DIR "/scenarios/" + name + ".yaml"));
}

std::vector<Counterfactual> ran(const Scenario& scenario) {
    const Fabric fabric(build(scenario, catalogue()));
    std::vector<Counterfactual> changes = counterfactuals(scenario, fabric, catalogue());
    run_all(changes, seconds_of(simulate(scenario, catalogue())), catalogue(), 1);
    return changes;
}

const Counterfactual& named(const std::vector<Counterfactual>& changes, const std::string& name) {
    const auto found = std::find_if(changes.begin(), changes.end(), [&](const auto& c) { return c.name == name; });
    REQUIRE(found != changes.end());
    return *found;
}

}  // namespace

TEST_CASE("a ring over NVSwitch gains what NVLink's rate is, and nothing from links that it does not use") {
    const Scenario scenario = shipped("dgx-h100-ring");
    const double base = seconds_of(simulate(scenario, catalogue()));
    const auto changes = ran(scenario);
    const Counterfactual& nvlink = named(changes, "nvlink-twice-as-fast");
    CHECK(nvlink.failure.empty());
    CHECK(nvlink.seconds < 0.95 * base);
    CHECK(nvlink.seconds >= 0.5 * base);
    CHECK(named(changes, "pcie-twice-as-fast").seconds == base);
    // The largest change stands first.
    for (std::size_t i = 1; i < changes.size(); ++i) {
        if (changes[i].failure.empty()) {
            CHECK(std::abs(changes[i].seconds - base) <= std::abs(changes[i - 1].seconds - base));
        }
    }
}

TEST_CASE("1:1 in place of 2:1 is the scenario with that key") {
    const Scenario scenario = shipped("dgx-h100-128-fat-tree-2to1");
    const auto changes = ran(scenario);
    const Counterfactual& full = named(changes, "full-bisection");
    Scenario by_hand = scenario;
    by_hand.cluster.oversubscription = 1;
    CHECK(full.seconds == seconds_of(simulate(by_hand, catalogue())));
    CHECK(full.seconds < 0.8 * seconds_of(simulate(scenario, catalogue())));
    CHECK(named(changes, "roce").scenario.cluster.link == "ethernet-400g");
}

TEST_CASE("changes of a scenario in packets are held against its time in packets") {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: gh200-1x, nodes: 3, fabric: {kind: single-switch, link: ethernet-400g}}\nworkload: "
        "{kind: "
        "collective, collective: gather, sizes: [64 MiB]}\nengine: packet\npacket: {ecn: {k_min: 250, k_max: 1000}}\n",
        "t.yaml");
    const Explanation explanation = explained(scenario, catalogue(), 1);
    CHECK(explanation.seconds == seconds_of(simulate(scenario, catalogue())));
    CHECK(explanation.run.seconds < 0.9 * explanation.seconds);  // the flow engine knows no marks
    CHECK(explanation.run.by == "flow");
    CHECK_THAT(explanation.run.notes.back(), ContainsSubstring("run by engine packet"));
    const Counterfactual& faster = named(explanation.changes, "pcie-twice-as-fast");
    CHECK(faster.seconds == Approx(explanation.seconds).epsilon(0.01));  // a GH200's slot hardly matters to its adapter
}

TEST_CASE("every change, written as files and read again, runs to the same time") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("fabricast_emitted." + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const char* name : {"dgx-h100-allreduce", "roce-ecmp", "training-mixtral-nvl8", "transfer-gpudirect-rdma",
                             "trace-training-step"}) {
        for (const Counterfactual& change : ran(shipped(name))) {
            INFO(name << ": " << change.name << " " << change.failure);
            const fs::path file = folder / (change.name + ".yaml");
            std::ofstream(file) << scenario_yaml(change.scenario);
            if (!change.failure.empty()) {
                CHECK_THROWS_AS(seconds_of(simulate(read_scenario(file), catalogue())), InputError);
                continue;
            }
            Catalog changed = catalogue();
            if (!change.overlay.empty()) { merge_overlay(changed, yaml::parse(change.overlay, "overlay")); }
            CHECK(seconds_of(simulate(read_scenario(file), changed)) == change.seconds);
        }
    }
    fs::remove_all(folder);
}

TEST_CASE("a scenario written out reads as itself") {
    for (const auto& entry : std::filesystem::directory_iterator(FABRICAST_SOURCE_DIR "/scenarios")) {
        if (entry.path().extension() == ".yaml") {
            INFO(entry.path().filename().string());
            const Scenario scenario = read_scenario(entry.path());
            const Scenario again = parse_scenario(scenario_yaml(scenario), entry.path());
            CHECK(to_json(again) == to_json(scenario));
        }
    }
}

TEST_CASE("an overlay scales figures exactly, once, in units that the reader knows") {
    OverlayText overlay(catalogue());
    overlay.scale("infiniband-ndr", "signalling", 2);
    overlay.scale("infiniband-ndr", "signalling", 2);
    overlay.scale("smf", "delay", 0.5);
    overlay.scale("connectx-7", "port_rate", 2);
    overlay.scale("no-such-part", "rate", 2);
    overlay.scale("infiniband-ndr", "no-such-figure", 2);
    Catalog changed = catalogue();
    merge_overlay(changed, yaml::parse(overlay.text("a test"), "overlay"));
    CHECK(changed.at("link", "infiniband-ndr").number("signalling") == 212.5e9);
    CHECK(changed.at("cable", "smf").number("delay") == Approx(2.45e-9));
    CHECK(changed.at("nic", "connectx-7").number("port_rate") == 100e9);
    CHECK(OverlayText(catalogue()).empty());
}

TEST_CASE("a collective's bandwidth bends where it leaves the node, because of what it then crosses") {
    const Scenario scenario = read_scenario(FABRICAST_SOURCE_DIR "/scenarios/performance-cliff.yaml");
    const ScalingCurve curve = scaling_curve(scenario, catalogue(), 1);
    REQUIRE(curve.points.size() == 5);
    CHECK(curve.points.front().efficiency == 1);
    REQUIRE(curve.knee);
    CHECK(curve.knee->from_gpus < curve.knee->to_gpus);
    double deepest = 0;
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
        deepest = std::max(deepest, curve.points[i - 1].efficiency - curve.points[i].efficiency);
    }
    CHECK(curve.knee->lost == deepest);
    CHECK(curve.knee->cause.seconds > 0);
}

TEST_CASE("a step that hides its communication scales without a knee worth naming, or says what bends it") {
    Scenario scenario = read_scenario(FABRICAST_SOURCE_DIR "/scenarios/training-gpt3-1024-ib.yaml");
    const ScalingCurve curve = scaling_curve(scenario, catalogue(), 1);
    REQUIRE(curve.points.size() >= 4);
    CHECK(curve.points.front().gpus == 64);  // tensor 8 x pipeline 8
    CHECK(curve.points.back().gpus == 1024);
    for (const KneePoint& point : curve.points) {
        CHECK(point.efficiency <= 1.0001);
        CHECK(point.efficiency > 0.5);
    }
}
