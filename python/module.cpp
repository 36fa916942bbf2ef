// The compiled half of `import fabricast`: scenarios and results cross the boundary as JSON, errors as exceptions with
// their location in the text. The other half, in Python, converts them to dicts and arrays.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "python/call.hpp"
#include "sim/report/result_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/sweep/sweep.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/vary.hpp"

namespace fabricast::python {

std::string unlocked(const std::function<std::string(const std::atomic<bool>& stop)>& work) {
    std::atomic<bool> stop{false};
    bool interrupted = false;
    std::string result;
    {
        const py::gil_scoped_release release;
        std::future<std::string> future = std::async(std::launch::async, [&] { return work(stop); });
        while (future.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
            const py::gil_scoped_acquire acquire;
            if (!interrupted && PyErr_CheckSignals() != 0) {
                PyErr_Clear();
                interrupted = stop = true;
            }
        }
        try {
            result = future.get();
        } catch (const Stopped&) { interrupted = true; }
    }
    if (interrupted) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw py::error_already_set();
    }
    return result;
}

namespace {

std::string resolved(const Source& source) { return text_of(to_json(source.scenario())); }

std::string run(const Source& source, std::size_t threads) {
    return unlocked([&](const std::atomic<bool>& stop) {
        const Scenario scenario = source.scenario();
        const std::size_t used = threads_for(scenario.engine, threads_or_cores(threads));
        const Report report = simulate(scenario, source.parts(&scenario), {&stop, {}}, {}, {used, false});
        return text_of(result_json(scenario, report));
    });
}

std::string sweep(const Source& source, const std::vector<std::pair<std::string, std::vector<std::string>>>& vary,
                  std::size_t threads) {
    return unlocked([&](const std::atomic<bool>& stop) {
        const auto place = std::make_shared<const std::string>("<vary>");
        std::vector<Variation> variations;
        for (const auto& [path, values] : vary) {
            Variation& variation = variations.emplace_back(Variation{path, {place}, {}});
            for (const std::string& value : values) { variation.values.push_back({value, {place}}); }
        }
        const Sweep points = prepare_sweep(source.tree(), source.file, variations,
                                           [&](const Scenario& scenario) { return source.parts(&scenario); });
        SweepOutcomes outcomes;
        run_points(
            points, distinct_points(points), threads_or_cores(threads), &stop,
            [&](std::size_t point, const SweepOutcome& outcome) { outcomes.emplace(points.read[point].key, outcome); });
        const SweepResult result = sweep_result(points, outcomes);
        const Records table = records_of(result);
        return text_of({{"scenario", result.scenario},
                        {"varied", result.varied},
                        {"columns", table.columns},
                        {"rows", table.rows}});
    });
}

// Maps C++ exceptions to the module's Python exceptions, all of which are subclasses of fabricast.Error.
void register_errors(py::module_& module) {
    static py::exception<std::runtime_error> base(module, "Error", PyExc_RuntimeError);
    static py::exception<InputError> scenario_error(module, "ScenarioError", base.ptr());
    static py::exception<CannotEnd> cannot_end(module, "CannotEnd", base.ptr());
    static py::exception<MissingEngine> missing(module, "MissingEngine", base.ptr());
    py::register_exception_translator([](std::exception_ptr error) {
        try {
            std::rethrow_exception(std::move(error));
        } catch (const InputError& failure) {
            const py::object raised = py::reinterpret_borrow<py::object>(scenario_error)(failure.what());
            raised.attr("file") = failure.place->file ? *failure.place->file : "";
            raised.attr("line") = failure.place->line;
            raised.attr("column") = failure.place->column;
            raised.attr("message") = failure.message;
            PyErr_SetObject(scenario_error.ptr(), raised.ptr());
        } catch (const Error& failure) {
            failure.exit_code == ExitCode::cannot_end     ? cannot_end(failure.what())
            : failure.exit_code == ExitCode::missing_here ? missing(failure.what())
                                                          : base(failure.what());
        } catch (const std::bad_alloc&) { PyErr_NoMemory(); } catch (const std::runtime_error& failure) {
            base(failure.what());
        }
    });
}

}  // namespace

}  // namespace fabricast::python

PYBIND11_MODULE(_fabricast, module) {
    using namespace fabricast::python;
    module.doc() = "The compiled half of fabricast.";
    module.attr("version") = std::string(fabricast::version());
    register_errors(module);
    py::class_<Source>(module, "Source")
        .def(py::init([](const py::bytes& text, std::string file, std::vector<std::string> overrides,
                         std::string catalog, std::vector<std::string> overlays) {
            return Source{std::string(text), std::move(file), std::move(overrides), std::move(catalog),
                          std::move(overlays)};
        }));
    module.def("read", [](const std::string& file) {
        return py::bytes(fabricast::read_text(file, fabricast::yaml::max_file_bytes));
    });
    module.def("resolved", &resolved);
    module.def("run", &run);
    module.def("sweep", &sweep);
    add_commands(module);
}
