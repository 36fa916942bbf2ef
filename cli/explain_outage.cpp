#include <ostream>

#include "cli/command.hpp"
#include "cli/explain.hpp"
#include "cli/inputs.hpp"
#include "sim/run/explain/outage.hpp"

namespace fabricast::cli {

void add_outage_options(po::options_description& options) {
    options.add_options()  //
        ("without", texts_value("A [B]")->multitoken(),
         "what it costs that A (a switch, adapter, port or plane), or one cable between A and B, is dead from the "
         "start")("failures", "what the scenario's own events cost: with them and without");
}

bool asks_for_outage(const po::variables_map& values) {
    return values.contains("without") || values.contains("failures");
}

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
    outputs.write("json", [&] { return to_json(found).dump(2) + "\n"; });
    outputs.words() << to_text(found);
    return ok;
}

}  // namespace fabricast::cli
