// fabricast diagnose LOG [--node NAME | --cluster FILE]: is a measured number normal, and if not, why?

#include <optional>

#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "sim/scenario/parse.hpp"
#include "validate/diagnose/diagnosed.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::cli {

namespace {

ExitCode diagnose_log(const po::variables_map& values) {
    if (!values.contains("log")) { throw MissingArgument("which log?"); }
    if (values.contains("node") && values.contains("cluster")) {
        throw UsageError("--node and --cluster both say what was measured; give one");
    }
    std::optional<Scenario> cluster;
    if (values.contains("cluster")) { cluster = read_scenario(text_of(values, "cluster"), {}); }
    Outputs outputs(values, {"json"});
    if (cluster) { outputs.keep(*cluster); }
    const Catalog catalog = catalog_of(values, cluster ? &*cluster : nullptr);
    const std::vector<Measurement> tables = read_measurements(text_of(values, "log"), statements_of(values));
    std::string text;
    Json json = Json::array();
    for (const Measurement& measurement : tables) {
        Diagnosed one = diagnosed(measurement, cluster, text_of(values, "node"), catalog);
        text += (text.empty() || one.of_link ? "" : "\n") + one.text;
        json.push_back(std::move(one.json));
    }
    outputs.write_json([&] { return json; });
    outputs.words() << text;
    return ok;
}

}  // namespace

const Command diagnose_command = {
    "diagnose",
    "is my number normal? causes, ranked by simulating each",
    "LOG [--node NAME | --cluster FILE] [OPTION...]",
    joined_options({{
                        {"log", text_value("LOG"), "a log that `import` reads, or a measurement file"},
                        {"node", text_value("NAME"), "the node template, where the log does not say what ran"},
                        {"cluster", text_value("FILE"), "a scenario whose cluster and library were measured"},
                        {"set", texts_value("KEY=VALUE"),
                         "say what the log does not: system.network=\"InfiniBand NDR\"; repeatable"},
                        {"json", text_value("FILE"), "write the diagnosis as JSON"},
                    },
                    catalog_options()}),
    {{{"log", 1}}},
    diagnose_log};

}  // namespace fabricast::cli
