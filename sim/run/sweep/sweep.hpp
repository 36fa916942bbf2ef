#pragma once
// A sweep as a loop over simulate(): every point is a scenario of its own, read and checked before any of them runs,
// and points with equal inputs run once. Running points share only immutable values.

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/yaml.hpp"
#include "models/catalog.hpp"
#include "sim/report/columns.hpp"
#include "sim/run/sweep/points.hpp"
#include "sim/run/sweep/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline sweep {

// The catalogue for a scenario, with the scenario's own overlays merged in.
using CatalogOf = std::function<Catalog(const Scenario&)>;

// One point as it was read. Points with equal keys have equal results.
struct SweepPoint {
    std::string key;    // fingerprint of its inputs; empty if the scenario could not be read
    std::string error;  // why it could not be read
    std::shared_ptr<const Catalog> catalog;
};

struct Sweep {
    std::string name;
    std::string fingerprint;  // of the scenario without the keys that vary
    std::filesystem::path file;
    yaml::Node tree;  // the scenario's tree without its `sweep`
    SweepPoints points;
    std::vector<SweepPoint> read;      // one for each point
    std::vector<std::string> figures;  // every column that some point has
    std::vector<std::string> notes;    // about how the scenario is written
    bool one_thread = false;           // the engine of some point needs a process without other threads
};

// The result of a point: its figures by name, or why it failed.
struct SweepOutcome {
    std::vector<Json> rows;  // one JSON object for each row
    std::string error;
};

using SweepOutcomes = std::map<std::string, SweepOutcome, std::less<>>;  // by key

// Reads every point. `tree` is the scenario's tree with the overrides applied (scenario_tree()). Throws InputError if
// nothing varies, a path is not a key, a key does not accept one of its values, or not a single point can be read.
Sweep prepare_sweep(yaml::Node tree, const std::filesystem::path& file, const std::vector<Variation>& vary,
                    const CatalogOf& catalog_of);

// The points that have to run, in order: the first one of each SweepPoint::key.
std::vector<std::size_t> distinct_points(const Sweep& sweep);

// A fingerprint of everything that the sweep's results depend on.
std::string identity_of(const Sweep& sweep);

// The scenario of a point. Throws InputError.
Scenario scenario_at(const Sweep& sweep, std::size_t point);

// Runs one point. An error in the point becomes its outcome. Throws Stopped, IoError and bad_alloc: no fault of it.
SweepOutcome run_point(const Sweep& sweep, std::size_t point, const std::atomic<bool>* stop, std::size_t threads = 1);

// Runs points on several threads and calls `finished` for each, one call at a time, from any of the threads. Throws as
// run_point; points that were handed to `finished` before are not lost.
void run_points(const Sweep& sweep, const std::vector<std::size_t>& points, std::size_t threads,
                const std::atomic<bool>* stop, const std::function<void(std::size_t, const SweepOutcome&)>& finished);

// The table in the order of the points. Points that have no outcome are left out.
SweepResult sweep_result(const Sweep& sweep, const SweepOutcomes& outcomes);

}  // namespace fabricast::inline sweep
