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

#include "base/yaml.hpp"
#include "models/catalog.hpp"
#include "sim/report/records.hpp"
#include "sim/run/sweep/points.hpp"
#include "sim/run/sweep/result.hpp"
#include "sim/scenario/scenario.hpp"

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

}  // namespace fabricast
