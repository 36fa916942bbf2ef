// fabricast cluster FILE... -o CLUSTER.yaml: a site's own files as one scenario, and what looks wrong in them.

#include "topologies/cluster.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "discovery/format.hpp"
#include "discovery/site/checks.hpp"
#include "discovery/site/costs.hpp"
#include "discovery/site/describe.hpp"

namespace fabricast::cli {

namespace {

void check_routing(const std::string& routing) {
    if (!routing.empty() && std::ranges::find(graph_routing_names, routing) == graph_routing_names.end()) {
        throw UsageError(fmt::format("--routing: a way that no graph has (found {}; accepted: {})", shown(routing),
                                     fmt::join(graph_routing_names, ", ")));
    }
}

std::vector<Observations> observe_all(const std::vector<std::string>& files) {
    std::vector<Observations> all;
    std::set<std::filesystem::path> read;  // a file that is named twice is no second host
    for (const std::string& file : files) {
        if (read.insert(std::filesystem::weakly_canonical(file)).second) { all.push_back(observe(*read_source(file))); }
    }
    return all;
}

void print_site(std::ostream& out, const Site& site, const Description& made) {
    for (const std::string& file : site.files) { out << file << "\n"; }
    const std::string cables = plural(site.cables.size(), "cable");
    out << (made.yaml.empty()
                ? fmt::format("{}, {}; no scenario\n", plural(site.devices.size(), "switch"), cables)
                : fmt::format("{} of {}, {}; fabric: {}{}\n", plural(made.nodes, "node"), made.node, cables,
                              made.fabric, made.routing.empty() ? "" : ", routing " + made.routing));
    for (const auto& [kind, count] : site.dropped) { out << fmt::format("left out: {} x {}\n", count, kind); }
    for (const std::string& note : site.notes) { out << "note: " << note << "\n"; }
    // What was decided for the node that is drawn; the file has all of it.
    for (const std::string& note : made.shape ? made.shape->notes : std::vector<std::string>{}) {
        if (note.find("left out") != std::string::npos || note.starts_with("guess")) {
            out << "node: " << note << "\n";
        }
    }
    for (const std::string& asked : made.asked) { out << "missing: " << asked << "\n"; }
}

void print_findings(std::ostream& out, const std::vector<Finding>& findings) {
    std::map<std::string, std::size_t> counts;
    for (const Finding& finding : findings) {
        ++counts[finding.check];
        out << fmt::format("{}: {}: {}{} ({})\n", finding.check, finding.device, finding.message,
                           finding.cable.empty() || finding.message.find(finding.cable) != std::string::npos
                               ? ""
                               : "; cable " + finding.cable,
                           finding.at.file == nullptr
                               ? std::string(to_string(finding.trust))
                               : fmt::format("{}, {}", to_string(finding.trust), to_string(finding.at)));
        if (!finding.cost.empty()) { out << "    costs " << finding.cost << "\n"; }
    }
    out << (findings.empty() ? "nothing looks wrong\n" : plural(findings.size(), "finding") + "\n");
}

ExitCode describe_cluster(const po::variables_map& values) {
    const std::vector<std::string> files = texts_of(values, "file");
    if (files.empty()) { throw MissingArgument("which files?"); }
    const Outputs outputs(values, {"output", "json"});
    const Catalog catalog = catalog_of(values);
    Site site = join(observe_all(files));
    DescribeOptions options;
    options.node = text_of(values, "node");
    options.said = {text_of(values, "gpu"), text_of(values, "nic"), text_of(values, "cpu")};
    options.routing = text_of(values, "routing");
    check_routing(options.routing);
    const std::string out = text_of(values, "output");
    if (!out.empty() && out != "-") { options.name = std::filesystem::path(out).stem().string(); }
    const Description made = describe(site, catalog, options);
    std::vector<Finding> findings = check(site, made, catalog, options.said);
    forecast_costs(findings, site, made, catalog, options.said);
    outputs.write("output", [&] {
        if (made.yaml.empty()) { throw InputError(files.front(), made.asked.front()); }
        return made.yaml;
    });
    outputs.write_json([&] { return site_json(site, made, findings); });
    print_site(outputs.words(), site, made);
    print_findings(outputs.words(), findings);
    return values.contains("check") && !findings.empty() ? internal_or_io : ok;
}

}  // namespace

const Command cluster_command = {
    "cluster",
    "a site's own files as one cluster, and what looks wrong in them",
    "FILE... [-o CLUSTER.yaml] [--check] [OPTION...]",
    joined_options(
        {{
             {"file", texts_value("FILE"), "what a machine, a fabric manager, a scheduler or a plan says; any kinds"},
             {"output", text_value("FILE"), "write the scenario", "o"},
             {"json", text_value("FILE"), "write the scenario and the findings as JSON"},
             {"check", {}, "exit with 1 if anything looks wrong"},
             {"node", text_value("TEMPLATE"), "node template, where no file describes a node"},
             {"gpu", text_value("PART"), "the nodes' GPU, where no file says which"},
             {"nic", text_value("PART"), "the nodes' adapter, likewise"},
             {"cpu", text_value("PART"), "the nodes' CPU, likewise"},
             {"routing", text_value("HOW"), "draw the fabric cable by cable: ecmp, min-hop, up-down, fat-tree"},
         },
         catalog_options()}),
    {{{"file", -1}}},
    describe_cluster};

}  // namespace fabricast::cli
