// fabricast place SCENARIO: a job on the nodes it was given, against the best and the worst that it could have.

#include <memory>

#include "base/hostlist.hpp"
#include "base/text_file.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "sim/run/jobs/mix_report.hpp"
#include "sim/scenario/build.hpp"

namespace fabricast::cli {

namespace {

std::string nodes_asked(const po::variables_map& values) {
    if (!values.contains("rank-file")) { return text_of(values, "nodes"); }
    if (values.contains("nodes")) { throw UsageError("--nodes and --rank-file say the same (accepted: one of them)"); }
    const std::string file = text_of(values, "rank-file");
    return hostlist_text(hosts_of_ranks(TextLines(read_text(file, std::size_t{64} << 20U), file)));
}

ExitCode place_job(const po::variables_map& values) {
    Scenario scenario = scenario_of(values);
    Outputs outputs(values, {"json", "rank-order"});
    outputs.keep(scenario);
    if (const std::string asked = nodes_asked(values); !asked.empty()) {
        scenario.cluster.place = asked;
        // What is wrong with it stands there, not in the scenario.
        const std::string said_in = values.contains("rank-file") ? text_of(values, "rank-file") : "--nodes";
        scenario.places["cluster.place"] = {std::make_shared<const std::string>(said_in)};
    }
    if (scenario.cluster.place.empty()) {
        throw MissingArgument("which nodes? (--nodes, --rank-file or cluster.place)");
    }
    const Catalog catalog = catalog_of(values, &scenario);
    PlacementOptions options;
    options.among = node_numbers(scenario, "cluster.place", text_of(values, "among"));
    options.tries = static_cast<std::size_t>(whole_of(values, "tries", 200, 6, 1'000'000));
    options.threads = threads_of(values, &scenario);
    const PlacementSearch search =
        watched(values, [&](const Watch& watch) { return search_placements(scenario, catalog, options, watch); });
    if (!values.contains("quiet")) {
        outputs.words() << placement_table(scenario, search, outputs.width()) << std::flush;
    }
    outputs.write_json([&] { return placement_json(scenario, search); });
    outputs.write("rank-order", [&] {
        std::string lines;
        for (const std::string& host : search.order) { lines += host + "\n"; }
        return lines;
    });
    return ok;
}

}  // namespace

const Command place_command = {
    "place",
    "a job on its nodes, against the best and the worst placement",
    "SCENARIO --nodes LIST [OPTION...]",
    scenario_options({
        {"nodes", text_value("LIST"), "the job's nodes in the order of ranks, as Slurm lists hosts"},
        {"rank-file", text_value("FILE"), "the same as a host a line, or as Open MPI's rank file"},
        {"among", text_value("LIST"),
         "nodes that the best and the worst may take, beside the job's own (default: all)"},
        {"rank-order", text_value("FILE"), "write the job's hosts in the order that suits best"},
        {"tries", whole_value("N"), "forecasts to search with (default 200)"},
        {"json", text_value("FILE"), "write the result as JSON"},
        {"threads", whole_value("N"), "forecasts side by side (default and 0: every core)"},
        {"quiet", {}, "print no table"},
    }),
    {{{"scenario", 1}}},
    place_job};

}  // namespace fabricast::cli
