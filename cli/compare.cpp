// fabricast compare [--measured] FILE [SCENARIO]: a measurement next to its forecast.

#include "validate/curves/compare.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "validate/curves/compare_page.hpp"
#include "validate/import/formats.hpp"
#include "validate/transfers/transfer_compare.hpp"
#include "validate/transfers/transfer_derive.hpp"

namespace fabricast::cli {

namespace {

// One table beside its forecast, as text; files are written.
std::string compare_table(const Measurement& measurement, const Catalog& catalog, FabricCache& cache,
                          const std::optional<Scenario>& scenario, bool drawn, Outputs& outputs) {
    if (is_transfer(measurement)) {
        if (scenario || drawn) {
            throw UsageError("a transfer is derived from its file's words (a scenario and --svg are for collectives)");
        }
        const TransferComparison comparison = compare_transfers(measurement, catalog);
        outputs.write_json([&] { return to_json(comparison); });
        return to_text(comparison);
    }
    const Comparison comparison = compare(measurement, catalog, cache, scenario);
    outputs.write_json([&] { return to_json(comparison); });
    outputs.write("svg", [&] { return to_svg(comparison); });
    outputs.write_page([&] { return compare_page(comparison); });
    return to_text(comparison);
}

ExitCode compare_measured(const po::variables_map& values) {
    if (!values.contains("measured")) { throw MissingArgument("which measurement?"); }
    std::optional<Scenario> scenario;
    if (values.contains("scenario")) {
        scenario = scenario_of(values);
    } else if (values.contains("set") || values.contains("engine")) {
        throw UsageError("--set and --engine change a scenario, and none is given");
    }
    Outputs outputs(values, {"json", "svg", "html"});
    if (scenario) { outputs.keep(*scenario); }
    const Catalog catalog = catalog_of(values, scenario ? &*scenario : nullptr);
    FabricCache cache(catalog);
    const std::vector<Measurement> tables = read_measurements(text_of(values, "measured"));
    const bool files = values.contains("json") || values.contains("svg") || values.contains("html");
    if (tables.empty() || (tables.size() > 1 && files)) {
        throw UsageError("the log holds " + std::to_string(tables.size()) + " tables; `fabricast import` parts them");
    }
    std::string words, refused;
    for (const Measurement& measurement : tables) {
        try {
            const std::string one =
                compare_table(measurement, catalog, cache, scenario, values.contains("svg"), outputs);
            words += (words.empty() ? "" : "\n") + one;
        } catch (const Error& error) {
            // Of a file of many tables the others are wanted all the same.
            if (tables.size() == 1 || error.exit_code != ExitCode::bad_input) { throw; }
            refused += fmt::format("\n{}: not compared: {}", measurement.id, error.what());
        }
    }
    if (words.empty()) {
        throw UsageError(fmt::format("none of the file's {} tables can be compared:{}", tables.size(), refused));
    }
    outputs.words() << words << (refused.empty() ? "" : refused + "\n");
    return ok;
}

}  // namespace

const Command compare_command = {
    "compare",
    "a measurement beside its forecast",
    "[--measured] FILE [SCENARIO] [OPTION...]",
    joined_options(
        {{
             {"measured", text_value("FILE"),
              "the measurement, or a log that `import` reads; without a scenario, its words say what to forecast"},
         },
         scenario_options(),
         {
             {"json", text_value("FILE"), "write both as JSON"},
             {"svg", text_value("FILE"), "draw both curves"},
             {"html", text_value("FILE"), "write a report to hand over"},
         }}),
    {{{"measured", 1}, {"scenario", 1}}},
    compare_measured};

}  // namespace fabricast::cli
