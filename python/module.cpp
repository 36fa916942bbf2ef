// The compiled half of `import fabricast`: scenarios and results cross the boundary as JSON, errors as exceptions with
// their location in the text. The other half, in Python, converts them to dicts and arrays.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cassert>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "python/call.hpp"
#include "sim/report/result_file.hpp"
#include "sim/run/idle_settings.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/sweep/sweep.hpp"
#include "sim/scenario/keys.hpp"

namespace fabricast::python {

std::string unlocked(const py::object& progress, const std::function<std::string(const Watch&)>& work) {
    std::atomic<bool> stop{false};
    std::atomic<double> share{0};
    const Watch watch{&stop, [&](double done) { share = done; }};
    std::optional<py::error_already_set> raised;  // by Ctrl-C or by `progress`
    double told = 0;                              // several threads report, so a share may be less than the last
    const auto look_up = [&](double done) {
        try {
            if (PyErr_CheckSignals() != 0) { throw py::error_already_set(); }
            if (!progress.is_none() && done > told) { progress(told = done); }
        } catch (py::error_already_set& error) {
            raised.emplace(error);
            stop = true;
        }
    };
    std::string result;
    {
        const py::gil_scoped_release release;
        std::future<std::string> future = std::async(std::launch::async, [&] { return work(watch); });
        while (future.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
            const py::gil_scoped_acquire acquire;
            if (!raised) { look_up(share); }
        }
        try {
            result = future.get();
        } catch (const Stopped&) { assert(raised); }
    }
    if (!raised) { look_up(1); }
    if (raised) { throw py::error_already_set(*raised); }
    return result;
}

namespace {

std::string resolved(const Source& source) { return text_of(to_json(source.scenario())); }

std::string run(const Source& source, std::size_t threads, const py::object& progress) {
    return answer(progress, [&](const Watch& watch) {
        const Scenario scenario = source.scenario();
        const std::size_t used = threads_for(scenario.engine, threads_or_cores(threads));
        std::atomic<std::size_t> done{0};  // rows
        const auto pieces = static_cast<double>(pieces_of(scenario));
        const auto within = [&](double share) { watch.progress((static_cast<double>(done) + share) / pieces); };
        const Catalog catalog = source.parts(&scenario);
        Report report =
            simulate(scenario, catalog, {watch.stop, within}, [&](const Row&) { ++done, within(0); }, {used, false});
        merge_notes(report.notes, idle_in_bill(scenario, catalog));
        return result_json(scenario, report);
    });
}

std::string sweep(const Source& source, const Varied& vary, std::size_t threads, const py::object& progress) {
    return answer(progress, [&](const Watch& watch) {
        const Sweep points = prepare_sweep(source.tree(), source.file, variations(vary),
                                           [&](const Scenario& scenario) { return source.parts(&scenario); });
        SweepOutcomes outcomes;
        const std::vector<std::size_t> distinct = distinct_points(points);
        run_points(points, distinct, threads_or_cores(threads), watch.stop,
                   [&](std::size_t point, const SweepOutcome& outcome) {
                       outcomes.emplace(points.read[point].key, outcome);
                       watch.progress(static_cast<double>(outcomes.size()) / static_cast<double>(distinct.size()));
                   });
        const SweepResult result = sweep_result(points, outcomes);
        const Records table = records_of(result);
        return Json{
            {"scenario", result.scenario}, {"varied", result.varied}, {"columns", table.columns}, {"rows", table.rows}};
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
    module.def("write",
               [](const std::string& file, const std::string& text) { fabricast::write_atomically(file, text); });
    module.def("resolved", &resolved);
    module.def("run", &run);
    module.def("sweep", &sweep);
    add_commands(module);
}
