// fabricast calibrate MEASUREMENT... -o OVERLAY [--scenario FILE]: measurements become an overlay of the catalogue.

#include "validate/calibration/calibrate.hpp"

#include <algorithm>
#include <csignal>
#include <iostream>
#include <iterator>
#include <optional>

#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "validate/calibration/calibrate_report.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::cli {

namespace {

std::vector<FitDataset> data_of(const po::variables_map& values, const Catalog& catalog, FabricCache& cache,
                                const std::optional<Scenario>& scenario) {
    std::vector<std::string> files = texts_of(values, "measurements");
    for (const std::string& file : texts_of(values, "measured")) { files.push_back(file); }
    std::vector<Measurement> measurements;
    for (const std::string& file : files) {
        std::ranges::move(read_measurements(file), std::back_inserter(measurements));
    }
    return fit_data(measurements, catalog, cache, scenario, [](const Comparison& comparison) {
        for (const std::string& assumption : comparison.derived.assumptions) {
            std::cerr << comparison.id << ": " << assumption << "\n";
        }
    });
}

ExitCode calibrate_system(const po::variables_map& values) {
    // The fit asks for no flag, and nothing is written before it is done: Ctrl-C ends the program at once.
    std::signal(SIGINT, SIG_DFL);
    if ((!values.contains("measurements") && !values.contains("measured")) || !values.contains("output")) {
        throw MissingArgument("which measurements, and where to?");
    }
    std::optional<Scenario> scenario;
    if (values.contains("scenario")) {
        scenario = scenario_of(values);
    } else if (values.contains("set") || values.contains("engine")) {
        throw UsageError("--set and --engine change a scenario, and none is given (--scenario FILE)");
    }
    Outputs outputs(values, {"output"});
    if (scenario) { outputs.keep(*scenario); }
    const Catalog catalog = catalog_of(values, scenario ? &*scenario : nullptr);
    FabricCache cache(catalog);
    const std::vector<FitDataset> data = data_of(values, catalog, cache, scenario);
    const Calibration calibration = calibrate(catalog, data, cache, texts_of(values, "only"));
    outputs.write("output", [&] { return overlay_yaml(calibration, catalog, data, cache); });
    outputs.words() << to_text(calibration)
                    << to_text(outlook(with_calibration(catalog, calibration), calibration, data, cache)) << "\nwrote "
                    << text_of(values, "output") << "\n";
    return ok;
}

}  // namespace

const Command calibrate_command = {
    "calibrate",
    "one's own measurements as an overlay over the catalogue",
    "MEASUREMENT... -o OVERLAY [OPTION...]",
    joined_options({{
                        {"measurements", texts_value("FILE"), "measurement files, or logs that `import` reads"},
                        {"measured", texts_value("FILE"), "one more of them, as `compare` names it; repeatable"},
                        {"output", text_value("OVERLAY"), "the overlay to write", "o"},
                        {"only", texts_value("PART/FIGURE"),
                         "fit this figure and no others; repeatable; refused where the data do not tell it"},
                    },
                    scenario_options()}),
    {{{"measurements", -1}}},
    calibrate_system};

}  // namespace fabricast::cli
