// What the commands do, for Python: the same calls, each with a JSON document as its answer.

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>

#include "discovery/format.hpp"
#include "discovery/site/checks.hpp"
#include "discovery/site/costs.hpp"
#include "discovery/site/describe.hpp"
#include "models/catalog_text.hpp"
#include "python/call.hpp"
#include "sim/run/explain/explanation.hpp"
#include "sim/run/explain/outage.hpp"
#include "sim/run/layouts/layout_report.hpp"
#include "sim/run/layouts/layout_search.hpp"
#include "sim/run/pricer.hpp"
#include "sim/run/study/study.hpp"
#include "sim/run/study/study_report.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/export.hpp"
#include "topologies/node_reader.hpp"
#include "validate/curves/compare.hpp"
#include "validate/diagnose/diagnosed.hpp"
#include "validate/import/formats.hpp"
#include "validate/transfers/transfer_compare.hpp"
#include "validate/transfers/transfer_derive.hpp"
#ifdef FABRICAST_CALIBRATION
#include "validate/calibration/calibrate.hpp"
#include "validate/calibration/calibrate_report.hpp"
#endif

namespace fabricast::python {

namespace {

using Texts = std::vector<std::string>;

std::optional<Scenario> scenario_in(const std::optional<Source>& source) {
    return source ? std::optional(source->scenario()) : std::nullopt;
}

std::string explain(const Source& source, const Texts& dead, std::size_t threads, const py::object& progress) {
    return answer(progress, [&](const Watch& watch) -> Json {
        Scenario scenario = source.scenario();
        const Catalog catalog = source.parts(&scenario);
        if (!dead.empty()) {
            scenario.events.push_back(without(dead));
            return to_json(outage(scenario, catalog, watch));
        }
        return explanation_json(
            explained(scenario, catalog, threads_for(scenario.engine, threads_or_cores(threads)), watch));
    });
}

std::string compare_designs(const std::vector<Source>& sources, std::uint32_t draws, std::uint64_t seed,
                            std::size_t threads, const py::object& progress) {
    return answer(progress, [&](const Watch& watch) {
        std::vector<ReadDesign> designs;
        for (const Source& source : sources) {
            designs.push_back([&source](const Texts& more) {
                Source changed = source;
                changed.overrides.insert(changed.overrides.end(), more.begin(), more.end());
                return changed.scenario();
            });
        }
        const std::vector<StudyInput> inputs =
            study_inputs(designs, [&](const Scenario& scenario) { return sources.front().parts(&scenario); });
        StudyOptions options{draws, seed, threads_or_cores(threads)};
        for (const StudyInput& input : inputs) {
            options.threads = threads_for(input.scenario.engine, options.threads);
        }
        return study_json(study(inputs, options, watch));
    });
}

std::string layouts_of(const Source& source, const Varied& vary, std::size_t best, double margin, std::uint32_t draws,
                       std::size_t threads, const py::object& progress) {
    return answer(progress, [&](const Watch& watch) {
        const Scenario scenario = source.scenario();
        LayoutSearchOptions options;
        options.allowed = allowed_layouts(variations(vary));
        options.best = best;
        options.memory_margin = margin;
        options.draws = draws;
        options.threads = threads_for(scenario.engine, threads_or_cores(threads));
        const LayoutSearch found = search_layouts(scenario, source.parts(&scenario), options, watch);
        if (found.stopped) { throw Stopped(); }
        return layouts_json(found);
    });
}

// Each table of the file beside its forecast.
std::string compare_file(const std::string& file, const std::optional<Source>& source, const Source& parts) {
    return answer(py::none(), [&](const Watch&) {
        const std::optional<Scenario> scenario = scenario_in(source);
        const Catalog catalog = parts.parts(scenario ? &*scenario : nullptr);
        FabricCache cache(catalog);
        return json_list(read_measurements(file), [&](const Measurement& measurement) {
            if (is_transfer(measurement)) { return to_json(compare_transfers(measurement, catalog)); }
            return to_json(compare(measurement, catalog, cache, scenario));
        });
    });
}

std::string diagnose_file(const std::string& file, const std::string& node, const std::optional<Source>& cluster,
                          const Source& parts, const Statements& said) {
    return answer(py::none(), [&](const Watch&) {
        const std::optional<Scenario> scenario = scenario_in(cluster);
        const Catalog catalog = parts.parts(scenario ? &*scenario : nullptr);
        return json_list(read_measurements(file, said), [&](const Measurement& measurement) {
            return diagnosed(measurement, scenario, node, catalog).json;
        });
    });
}

// The overlay as YAML, which `calibration=` takes once it is in a file.
std::string overlay_of(const Texts& files, const std::optional<Source>& source, const Source& parts) {
#ifdef FABRICAST_CALIBRATION
    return unlocked(py::none(), [&](const Watch&) {
        const std::optional<Scenario> scenario = scenario_in(source);
        const Catalog catalog = parts.parts(scenario ? &*scenario : nullptr);
        FabricCache cache(catalog);
        std::vector<Measurement> measurements;
        for (const std::string& file : files) {
            for (Measurement& measurement : read_measurements(file)) { measurements.push_back(std::move(measurement)); }
        }
        const std::vector<FitDataset> data = fit_data(measurements, catalog, cache, scenario);
        return overlay_yaml(calibrate(catalog, data, cache, {}), catalog, data, cache);
    });
#else
    static_cast<void>(files), static_cast<void>(source), static_cast<void>(parts);
    throw ErrorWith<ExitCode::missing_here>("calibrate: this build has no Ceres");
#endif
}

std::string topology(const Source& source, const Texts& ends) {
    return answer(py::none(), [&](const Watch&) {
        const Scenario scenario = source.scenario();
        const Catalog catalog = source.parts(&scenario);
        return pointing_into(scenario, [&] {
            const Fabric fabric(build(scenario, catalog));
            return ends.size() == 2 ? path_json(fabric, ends[0], ends[1]) : fabric_json(fabric);
        });
    });
}

std::string cluster_of(const Texts& files, const std::string& node, const std::string& gpu, const std::string& nic,
                       const std::string& cpu, const Source& parts) {
    return answer(py::none(), [&](const Watch&) {
        std::vector<Observations> observed;
        for (const std::string& file : files) { observed.push_back(observe(*read_source(file))); }
        const Catalog catalog = parts.parts();
        Site site = join(observed);
        DescribeOptions options;
        options.node = node;
        options.said = {gpu, nic, cpu};
        const Description made = describe(site, catalog, options);
        std::vector<site::Finding> findings = check(site, made, catalog, options.said);
        forecast_costs(findings, site, made, catalog, options.said);
        return site_json(site, made, findings);
    });
}

std::string parts_of(const Source& parts, const std::string& name, const std::string& kind) {
    Catalog catalog = parts.parts();
    for (Part& node : node_parts()) { catalog.parts.try_emplace(node.name, std::move(node)); }
    if (name.empty()) { return text_of(parts_json(catalog, kind)); }
    const Part* part = catalog.find(name);
    if (part == nullptr) { throw CatalogError("no such part in the catalogue (found '" + name + "')"); }
    return text_of(part_json(*part));
}

std::unique_ptr<Pricer> pricer_of(const Source& source) {
    Scenario scenario = source.scenario();
    Catalog catalog = source.parts(&scenario);
    return std::make_unique<Pricer>(std::move(scenario), std::move(catalog));
}

}  // namespace

void add_commands(py::module_& module) {
    module.def("explain", &explain);
    module.def("study", &compare_designs);
    module.def("plan", &layouts_of);
    module.def("compare", &compare_file);
    module.def("diagnose", &diagnose_file);
    module.def("calibrate", &overlay_of);
    module.def("topo", &topology);
    module.def("cluster", &cluster_of);
    module.def("catalog", &parts_of);
    py::class_<Pricer>(module, "Pricer")
        .def(py::init(&pricer_of))
        .def("price",
             [](Pricer& pricer, const std::string& collective, const std::vector<std::int64_t>& sizes,
                std::uint32_t nodes, std::uint32_t gpus_per_node, bool exact) {
                 const Collective kind = collective_named(collective);
                 const py::gil_scoped_release release;
                 std::vector<double> seconds;
                 for (const std::int64_t size : sizes) {
                     seconds.push_back(pricer.seconds(PricedCall{kind, Bytes{size}, nodes, gpus_per_node}, exact));
                 }
                 return seconds;
             })
        .def("price_transfers",
             [](Pricer& pricer, const std::vector<std::tuple<std::string, std::string, std::int64_t>>& sent) {
                 const py::gil_scoped_release release;
                 std::vector<PricedTransfer> transfers;
                 for (const auto& [from, to, size] : sent) { transfers.push_back({from, to, Bytes{size}}); }
                 return pricer.seconds(transfers);
             });
}

}  // namespace fabricast::python
