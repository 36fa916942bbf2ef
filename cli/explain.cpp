// fabricast explain SCENARIO: what limits the result, and what would change it.

#include "cli/explain.hpp"

#include <filesystem>
#include <ostream>

#include "base/text_file.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "sim/report/html/page_html.hpp"
#include "sim/run/explain/explanation.hpp"
#include "sim/run/explain/scenario_text.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::cli {

namespace {

constexpr const char* explain_usage = "explain SCENARIO [OPTION...]";

po::options_description explain_options() {
    po::options_description options("options");
    add_scenario_options(options);
    add_catalog_options(options);
    add_path_options(options);
    add_outage_options(options);
    options.add_options()  //
        ("json", text_value("FILE"), "write the explanation as JSON")("html", text_value("FILE"),
                                                                      "write a report to hand over")  //
        ("emit", text_value("DIR"),
         "write each changed scenario, to be run by `fabricast run`")  //
        ("threads", whole_value("N"), "runs side by side (default and 0: every core)");
    return options;
}

// Writes one scenario file into `folder`, with absolute paths of its overlays; the overlay of a change is written next
// to the file.
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
    const Watch watch{&stop_flag()};
    if (values.contains("html")) { html::require_charts(); }
    const std::size_t threads = threads_of(values, &scenario);
    Explanation explanation;
    explanation.scenario = scenario.name;
    explanation.run = explain_run(scenario, catalog, watch);
    explanation.changes = pointing_into(scenario, [&] {
        const Fabric fabric(build(scenario, catalog));
        return counterfactuals(scenario, fabric, catalog);
    });
    run_all(explanation.changes, explanation.run.seconds, catalog, threads, watch);
    explanation.curve = scaling_curve(whole, catalog, threads, watch);
    if (values.contains("emit")) { emit_all(values, outputs, scenario, explanation); }
    outputs.write("json", [&] { return explanation_json(explanation).dump(2) + "\n"; });
    outputs.write("html", [&] { return html::page_html(explanation_page(whole, explanation)); });
    outputs.words() << blame_table(explanation) << tornado(explanation) << curve_table(explanation);
    return ok;
}

}  // namespace

ExitCode explain_scenario(const std::vector<std::string>& arguments) {
    const auto values = parse_options(arguments, explain_usage, explain_options(), {{"scenario", 1}});
    if (!values) { return ok; }
    const Scenario scenario = scenario_of(*values);
    Outputs outputs(*values, {"json", "html"});
    outputs.keep(scenario);
    if (asks_for_outage(*values)) { return explain_outage(*values, outputs, scenario); }
    if (!asks_for_path(*values, scenario)) { return explain_result(*values, outputs, scenario); }
    const ExitCode code = explain_path(*values, outputs, scenario);
    // For a transfer scenario without path options: also what limits its largest message, and what would change it.
    return code == ok && !names_path(*values) ? explain_result(*values, outputs, scenario) : code;
}

}  // namespace fabricast::cli
