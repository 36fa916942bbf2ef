#pragma once
// A sweep as a loop over the main job: every point is a scenario of its own, read and checked before any of them runs,
// and points that ask the same thing run once. Nothing is shared between running points but values that never change.

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/io/yaml.hpp"
#include "sim/report/records.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/sweep/points.hpp"
#include "sim/sweep/result.hpp"

namespace fabricast {

// The catalogue that a scenario sees: with its own overlays.
using CatalogOf = std::function<Catalog(const Scenario&)>;

// One point as it was read. Points with the same key have the same result.
struct SweepPoint {
    std::string key;    // empty where the scenario could not be read
    std::string error;  // why
    std::shared_ptr<const Catalog> catalog;
};

struct Sweep {
    std::string name;
    std::string fingerprint;  // of the scenario without what varies
    std::filesystem::path file;
    yaml::Node tree;  // of the scenario, without its `sweep`
    SweepPoints points;
    std::vector<SweepPoint> read;      // one for each point
    std::vector<std::string> figures;  // columns of any point
    bool asserts = false;              // some point asserts something
    bool simgrid = false;              // some point runs in SimGrid, which wants the process to itself
};

// What a point came to: its figures by name, or why it failed.
struct SweepOutcome {
    std::vector<Json> rows;  // objects
    std::string error;
};

using SweepOutcomes = std::map<std::string, SweepOutcome, std::less<>>;  // by key

// Reads every point. `tree` is the scenario's with its overrides (`scenario_tree`). Throws ScenarioError where nothing
// varies, a path is no key, a value cannot stand for its key, or no point at all can be read.
Sweep prepare_sweep(yaml::Node tree, const std::filesystem::path& file, const std::vector<Variation>& vary,
                    const CatalogOf& catalog_of);

// The points that have to run: the first of each key, in order.
std::vector<std::size_t> distinct_points(const Sweep& sweep);

// Tells sweeps apart: of everything that their results depend on.
std::string identity_of(const Sweep& sweep);

// The scenario of a point. Throws ScenarioError.
Scenario scenario_at(const Sweep& sweep, std::size_t point);

// Runs one point. What is wrong with it becomes its error; throws Stopped, and what is the machine's fault.
SweepOutcome run_point(const Sweep& sweep, std::size_t point, const std::atomic<bool>* stop, std::size_t threads = 1);

// Runs points on several threads and hands over each as it finishes, one at a time, from any of the threads. Throws as
// run_point; what was handed over stays.
void run_points(const Sweep& sweep, const std::vector<std::size_t>& points, std::size_t threads,
                const std::atomic<bool>* stop, const std::function<void(std::size_t, const SweepOutcome&)>& finished);

// The table in the order of the points. Points that have no outcome are left out.
SweepResult sweep_result(const Sweep& sweep, const SweepOutcomes& outcomes);

}  // namespace fabricast
