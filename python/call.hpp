#pragma once
// How a call from Python becomes one of ours: its scenario, its threads, and Ctrl-C meanwhile.

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/engines/engine.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"

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

inline std::size_t threads_or_cores(std::size_t threads) { return threads > 0 ? threads : cores(); }

inline std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Runs `work(stop)` on its own thread with the GIL released, and checks for Ctrl-C meanwhile.
std::string unlocked(const std::function<std::string(const std::atomic<bool>& stop)>& work);

// Adds explain, study, compare, calibrate, diagnose, topo, cluster, catalog and Pricer to the module.
void add_commands(py::module_& module);

}  // namespace fabricast::python
