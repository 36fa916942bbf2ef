// fabricast explain SCENARIO: what bounds the result, and what would change it.

#include <iostream>

#include "cli/command.hpp"
#include "cli/explain_path.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "sim/explain/explained_run.hpp"
#include "sim/explain/explanation_text.hpp"

namespace fabricast::cli {

namespace {

constexpr const char* usage = "explain SCENARIO [OPTION...]";

po::options_description explain_options() {
    po::options_description options("options");
    add_scenario_options(options);
    add_catalog_options(options);
    add_path_options(options);
    return options;
}

// The whole result: its critical path, and what changes would bring.
int explain_result(const po::variables_map& values) {
    const Scenario scenario = scenario_of(values);
    const Catalog catalog = catalog_of(values, &scenario);
    const Watch watch{&stop_flag()};
    std::cout << blame_table(scenario.name, explain_run(single_point(scenario), catalog, watch));
    return ok;
}

}  // namespace

int explain_scenario(const std::vector<std::string>& arguments) {
    po::positional_options_description positional;
    positional.add("scenario", 1);
    const auto values = parse_options(arguments, usage, explain_options(), positional);
    if (!values) {
        return ok;
    }
    if (asks_for_path(*values)) {
        return explain_path(*values);
    }
    return explain_result(*values);
}

}  // namespace fabricast::cli
