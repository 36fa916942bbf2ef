#pragma once
// How a call from Python becomes one of ours: its scenario, its threads, and Ctrl-C meanwhile.

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "sim/engines/engine.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/sweep_spec.hpp"

namespace fabricast::python {

namespace py = pybind11;

// A scenario as Python passes it: a text, its name in messages, and its overrides, parts and overlays.
struct Source {
    std::string text, file;
    std::vector<std::string> overrides;  // "path=value"
    std::string catalog;                 // a folder of parts; may be empty
    std::vector<std::string> overlays;

    yaml::Node tree() const { return scenario_tree(text, file, overrides); }
    Scenario scenario() const { return scenario_of_tree(tree(), file); }
    Catalog parts(const Scenario* of = nullptr) const { return calibrated_catalog(catalog, of, overlays); }
};

// What `vary` says; in messages its place is <vary>.
using Varied = std::vector<std::pair<std::string, std::vector<std::string>>>;
inline std::vector<Variation> variations(const Varied& vary) {
    const auto place = std::make_shared<const std::string>("<vary>");
    std::vector<Variation> all;
    for (const auto& [path, values] : vary) {
        Variation& variation = all.emplace_back(Variation{path, {place}, {}});
        for (const std::string& value : values) { variation.values.push_back({value, {place}}); }
    }
    return all;
}

inline std::size_t threads_or_cores(std::size_t threads) { return threads > 0 ? threads : cores(); }

inline std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Runs `work` on its own thread with the GIL released. Meanwhile checks for Ctrl-C, and calls `progress`, unless it is
// None, on the calling thread with the share done, 0 to 1; what it raises stops the work and is raised here.
std::string unlocked(const py::object& progress, const std::function<std::string(const Watch&)>& work);
// The same for work whose answer is a document.
inline std::string answer(const py::object& progress, const std::function<Json(const Watch&)>& work) {
    return unlocked(progress, [&](const Watch& watch) { return text_of(work(watch)); });
}

// Adds explain, study, plan, compare, calibrate, diagnose, topo, cluster, catalog and Pricer to the module.
void add_commands(py::module_& module);

}  // namespace fabricast::python
