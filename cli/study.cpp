// fabricast study A.yaml B.yaml ...: compares designs.

#include "sim/run/study/study.hpp"

#include <algorithm>

#include "base/enum_name.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "sim/run/study/study_report.hpp"
#include "sim/scenario/parse.hpp"

namespace fabricast::cli {

namespace {

StudyOrder order_of(const po::variables_map& values) {
    const std::string asked = values.contains("by") ? text_of(values, "by") : "value";
    return static_cast<StudyOrder>(index_among(names_up_to(StudyOrder::power), asked, "no such order"));
}

std::vector<StudyInput> inputs_of(const po::variables_map& values) {
    std::vector<ReadDesign> scenarios;
    for (const std::string& file : texts_of(values, "scenarios")) {
        scenarios.push_back([file, own = overrides_of(values)](const std::vector<std::string>& more) {
            std::vector<std::string> overrides = own;
            overrides.insert(overrides.end(), more.begin(), more.end());
            return read_scenario(file, overrides);
        });
    }
    return study_inputs(scenarios, [&](const Scenario& scenario) { return catalog_of(values, &scenario); });
}

ExitCode study_designs(const po::variables_map& values) {
    if (!values.contains("scenarios")) { throw MissingArgument("which designs?"); }
    StudyOptions options;
    options.draws = static_cast<std::uint32_t>(whole_of(values, "draws", 64, 10, 100'000));
    options.seed = static_cast<std::uint64_t>(whole_of(values, "seed", 1, 0, 2'000'000'000));
    options.order = order_of(values);
    Outputs outputs(values, {"json", "csv", "tsv", "html"});
    const std::vector<StudyInput> inputs = inputs_of(values);
    for (const StudyInput& input : inputs) { outputs.keep(input.scenario); }
    options.threads = threads_of(values);
    for (const StudyInput& input : inputs) {
        options.threads = std::min(options.threads, threads_of(values, &input.scenario));
    }
    const Study result = watched(values, [&](const Watch& watch) { return study(inputs, options, watch); });
    outputs.write_json([&] { return study_json(result); });
    outputs.write_table([&] { return study_records(result); });
    outputs.write_page([&] { return study_page(inputs.front().scenario, result); });
    if (!values.contains("quiet")) { outputs.words() << study_table(result); }
    return ok;
}

}  // namespace

const Command study_command = {
    "study",
    "designs side by side: time, efficiency, parts, power, cost",
    "SCENARIO... [OPTION...]",
    joined_options(
        {{
             {"scenarios", texts_value("FILE"), "scenarios, one design each; or one whose `designs:` names several"},
             {"engine", text_value("NAME"), "flow, analytic, simgrid or packet"},
             {"set", texts_value("PATH=VALUE"), "replace one key of every design; repeatable"},
         },
         catalog_options(),
         {
             {"by", text_value("WORD"),
              "rank by value (cost per token, or capital per bus bandwidth), time, capital or power"},
             {"draws", whole_value("N"), "random draws of figures and prices (default 64)"},
             {"seed", whole_value("N"), "of the draws (default 1)"},
             {"json", text_value("FILE"), "write the study as JSON"},
             {"csv", text_value("FILE"), "write a line for each design as CSV"},
             {"tsv", text_value("FILE"), "the same with tabs, for cut and awk"},
             {"html", text_value("FILE"), "write a report to hand over"},
             {"threads", whole_value("N"), "runs side by side (default and 0: every core)"},
             {"quiet", {}, "print no table"},
         }}),
    {{{"scenarios", -1}}},
    study_designs};

}  // namespace fabricast::cli
