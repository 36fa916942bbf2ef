// fabricast explain SCENARIO: what limits the result, and what would change it.

#include <filesystem>

#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/run/explain/explanation.hpp"
#include "sim/run/explain/outage.hpp"
#include "sim/run/explain/scenario_text.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::cli {

namespace {

// Writes one scenario file into `folder`, with absolute paths of its overlays; a change's overlay goes next to it.
void emit(const std::filesystem::path& folder, const std::string& name, const po::variables_map& values,
          Outputs& outputs, Scenario scenario, const std::string& overlay) {
    std::vector<std::string> overlays = scenario.calibration;
    for (const std::string& file : texts_of(values, "calibration")) { overlays.push_back(file); }
    scenario.calibration.clear();
    for (const std::string& file : overlays) {
        scenario.calibration.push_back(std::filesystem::absolute(file).string());
    }
    const std::filesystem::path file = folder / (name + ".yaml");
    outputs.add(file);
    if (!overlay.empty()) {
        const std::filesystem::path beside = folder / (name + ".overlay.yaml");
        outputs.add(beside);
        write_atomically(beside, overlay);
        scenario.calibration.push_back(name + ".overlay.yaml");
    }
    const std::string catalog =
        values.contains("catalog") ? "# To be run with --catalog " + text_of(values, "catalog") + ".\n" : "";
    write_atomically(file, catalog + scenario_yaml(scenario));
}

void emit_all(const po::variables_map& values, Outputs& outputs, const Scenario& scenario,
              const Explanation& explanation) {
    const std::filesystem::path folder = text_of(values, "emit");
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) { throw IoError(folder.string() + ": " + error.message()); }
    emit(folder, "as-it-is", values, outputs, scenario, "");
    for (const Counterfactual& change : explanation.changes) {
        emit(folder, change.name, values, outputs, change.scenario, change.overlay);
    }
}

// Explains the result: its critical path, what each change would bring, and how it scales.
ExitCode explain_result(const po::variables_map& values, Outputs& outputs, const Scenario& whole) {
    const Scenario scenario = single_point(whole);
    const Catalog catalog = catalog_of(values, &scenario);
    const Explanation explanation = explained(whole, catalog, threads_of(values, &scenario), Watch{&stop_flag()});
    if (values.contains("emit")) { emit_all(values, outputs, scenario, explanation); }
    outputs.write_json([&] { return explanation_json(explanation); });
    outputs.write_page([&] { return explanation_page(whole, explanation); });
    outputs.words() << blame_table(explanation) << tornado(explanation) << curve_table(explanation);
    return ok;
}

// Options that would have nothing to write for what was asked.
void refuse_unwritten(const po::variables_map& values, const std::string& asked, const std::vector<std::string>& none,
                      const std::string& accepted) {
    for (const std::string& name : none) {
        if (values.contains(name)) { throw UsageError("--{} has no --{} (accepted: {})", asked, name, accepted); }
    }
}

// What a dead cable or device costs: the results with and without the failure.
ExitCode explain_outage(const po::variables_map& values, const Outputs& outputs, Scenario scenario) {
    const Catalog catalog = catalog_of(values, &scenario);
    if (values.contains("without")) {
        const std::vector<std::string> names = texts_of(values, "without");
        if (names.size() > 2) {
            throw UsageError("--without takes a device, or the two ends of a cable (found " +
                             std::to_string(names.size()) + " names)");
        }
        scenario.events.push_back(without(names));
    } else if (scenario.events.empty()) {
        throw UsageError("--failures: the scenario has no events (see --without)");
    }
    const OutageCost found = outage(scenario, catalog, Watch{&stop_flag()});
    outputs.write_json([&] { return to_json(found); });
    outputs.words() << to_text(found);
    return ok;
}

// The scenario's transfer, or one with default conditions if it has none, between the devices of --path.
TransferWorkload transfer_of(const Scenario& scenario, const po::variables_map& values) {
    const auto* written = std::get_if<TransferWorkload>(&scenario.workload);
    TransferWorkload transfer = written != nullptr ? *written : TransferWorkload{};
    const std::vector<std::string> ends = texts_of(values, "path");
    if (ends.size() == 2) {
        transfer.from = ends[0];
        transfer.to = ends[1];
    } else if (!ends.empty() || written == nullptr) {
        throw UsageError("--path takes two devices, as in --path node0.gpu0 node1.gpu3");
    }
    if (values.contains("transport")) { transfer.transport = text_of(values, "transport"); }
    constexpr Bytes usual{1 << 20};
    transfer.sizes = {values.contains("size") ? parse_bytes(text_of(values, "size")) : usual};
    return transfer;
}

// The path that data takes between two devices, hop by hop.
void explain_path(const po::variables_map& values, const Outputs& outputs, const Scenario& scenario) {
    const Catalog catalog = catalog_of(values, &scenario);
    try {
        const TransferWorkload transfer = transfer_of(scenario, values);
        outputs.words() << pointing_into(scenario, [&] {
            const Workload workload = transfer;
            const Fabric fabric = fabric_for(workload, Fabric(build(scenario, catalog)), catalog);
            const PlanContext context{fabric, scenario.library, scenario.launch, catalog};
            try {
                const Exchange exchange = exchange_at(transfer.sizes.front(), workload, context, Flow{});
                return describe(exchange, transfer, fabric);
            } catch (const NoDataPath& error) {  // of the options, not of the scenario
                throw UsageError(error.what());
            }
        });
    } catch (const UnitError& error) { throw UsageError(std::string("--size: ") + error.what()); }
}

ExitCode explain_scenario(const po::variables_map& values) {
    const Scenario scenario = scenario_of(values);
    const bool names_failure = values.contains("without") || values.contains("failures");
    const bool names_path = values.contains("path") || values.contains("transport") || values.contains("size");
    if (names_failure) {
        refuse_unwritten(values, values.contains("without") ? "without" : "failures", {"html", "emit"}, "--json");
    } else if (names_path) {
        refuse_unwritten(values,
                         values.contains("path")   ? "path"
                         : values.contains("size") ? "size"
                                                   : "transport",
                         {"json", "html", "emit"}, "none, or `fabricast topo --path A B --json FILE`");
    }
    Outputs outputs(values, {"json", "html"});
    outputs.keep(scenario);
    if (names_failure) { return explain_outage(values, outputs, scenario); }
    if (names_path || std::holds_alternative<TransferWorkload>(scenario.workload)) {
        explain_path(values, outputs, scenario);
    }
    // For a transfer scenario without path options: also what limits its largest message, and what would change it.
    return names_path ? ok : explain_result(values, outputs, scenario);
}

}  // namespace

const Command explain_command = {
    "explain",
    "what bounds a result, and what would change it",
    "SCENARIO [OPTION...]",
    joined_options({scenario_options(),
                    {
                        {"path", words_value("A B"),
                         "the way data takes from device A to device B: copies, DMA, cores, latency, bandwidth"},
                        {"transport", text_value("T"), "of that path (default: auto)"},
                        {"size", text_value("S"), "of a message on it (default: 1 MiB)"},
                        {"without", words_value("A [B]"),
                         "what it costs that A (a switch, adapter, port or plane), or one cable between A and B, is "
                         "dead from the start"},
                        {"failures", {}, "what the scenario's own events cost: with them and without"},
                        {"json", text_value("FILE"), "write the explanation as JSON"},
                        {"html", text_value("FILE"), "write a report to hand over"},
                        {"emit", text_value("DIR"), "write each changed scenario, to be run by `fabricast run`"},
                        {"threads", whole_value("N"), "runs side by side (default and 0: every core)"},
                    }}),
    {{{"scenario", 1}}},
    explain_scenario};

}  // namespace fabricast::cli
