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

}  // namespace fabricast::inline sweep
