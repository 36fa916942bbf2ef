// fabricast topo SCENARIO: what the cluster is made of, the path between two devices, and the graph for other programs.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "discovery/site/export_node.hpp"
#include "discovery/site/export_site.hpp"
#include "sim/report/html/fabric_page.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/bill.hpp"
#include "topologies/bisection.hpp"
#include "topologies/export.hpp"
#include "topologies/fabric.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::cli {

namespace {

void print_fabric(std::ostream& out, const Fabric& fabric) {
    const FabricSpec& spec = fabric.cluster().fabric;
    if (spec.kind == FabricKind::none) { return; }
    out << "fabric     " << to_string(spec.kind);
    if (spec.kind == FabricKind::explicit_graph) {
        out << ", routing " << graph_routing_names[static_cast<std::size_t>(spec.routing)];
    } else {
        out << ", " << spec.link.name << (spec.trunk.name == spec.link.name ? "" : ", trunks " + spec.trunk.name)
            << ", " << spec.switch_part << " of " << spec.radix << " ports, "
            << (spec.choice == PathChoice::adaptive ? "adaptive" : "ecmp");
        if (spec.oversubscription != 1) { out << ", oversubscription " << spec.oversubscription; }
    }
    const Bill bill = bill_of(fabric);
    const auto row = [&](const std::string& name, std::uint64_t switches, std::uint64_t cables,
                         const std::string& left) {
        const auto shown = [](std::uint64_t count) { return count > 0 ? std::to_string(count) : std::string(); };
        const std::string cells =
            "  " + padded(name, 10) + padded(shown(switches), 12) + padded(shown(cables), left.empty() ? 0 : 12) + left;
        out << cells.substr(0, cells.find_last_not_of(' ') + 1) << "\n";
    };
    out << "\n  " << padded("tier", 10) << padded("switches", 12) << padded("cables up", 12) << "ports left\n";
    row("node", 0, bill.cables.empty() ? 0 : bill.cables.front().cables, "");
    std::size_t counted = 0;
    for (const FabricTier& tier : fabric.tiers()) {
        const auto left = tier.switches > 0 ? bill.switches[counted].left() : std::optional(std::uint64_t{0});
        row(tier.name, tier.switches, tier.cables, !left ? "-" : tier.switches > 0 ? std::to_string(*left) : "");
        counted += tier.switches > 0 ? 1 : 0;
    }
    row("in all", bill.switch_count(), bill.cable_count(),
        !bill.ports_left()       ? "-"
        : *bill.ports_left() > 0 ? std::to_string(*bill.ports_left())
                                 : "");
    for (std::size_t tier = 0; tier < fabric.tiers().size(); ++tier) {
        if (const std::string uneven = fabric.generator().uneven(tier); !uneven.empty()) {
            out << "  uneven: " << uneven << "\n";
        }
    }
}

// How GPUs without a switch between them are joined: "NVLink mesh", "NVLink bridges" of pairs, "mesh of" another
// link.
std::string joined_gpus(const NodeTemplate& node) {
    const auto is_gpu = [](const std::string& device) { return device.starts_with("gpu"); };
    const LinkSpec* link = nullptr;
    std::map<std::string, std::set<std::string>> neighbours;
    for (const NodeCable& cable : node.cables) {
        if (!is_gpu(cable.a) || !is_gpu(cable.b)) { continue; }
        link = &cable.link;
        neighbours[cable.a].insert(cable.b);
        neighbours[cable.b].insert(cable.a);
    }
    const bool pairs = std::ranges::all_of(neighbours, [](const auto& gpu) { return gpu.second.size() == 1; });
    const std::string shape = !pairs ? "mesh" : node.gpus > 2 ? "bridges" : "bridge";
    return link == nullptr || link->name.starts_with("nvlink") ? "NVLink " + shape : shape + " of " + link->name;
}

void print_node(std::ostream& out, const NodeTemplate& node, const std::string& which) {
    out << padded("node" + which, 11) << node.gpus << " x " << node.gpu.name << ", " << node.nics << " x "
        << (node.nic_part.empty() ? "NIC" : node.nic_part);
    if (node.nic_ports > 1) { out << " of " << plural(static_cast<std::uint64_t>(node.nic_ports), "port"); }
    if (node.nvlink == NvlinkShape::nvswitch) {
        out << ", NVSwitch " << node.nvswitch_generation;
    } else if (node.nvlink == NvlinkShape::mesh) {
        out << ", " << joined_gpus(node);
    }
    out << (node.peer_to_peer ? "" : ", no peer to peer") << (node.gpu_direct ? "" : ", no GPUDirect") << "\n";
}

void print_summary(std::ostream& out, const Fabric& fabric) {
    const std::vector<NodeRun>& runs = fabric.cluster().runs;
    out << "cluster    " << fabric.cluster().name << ": "
        << (runs.empty() ? plural(fabric.node_count(), "node") + " of " + fabric.node().name : node_words(fabric))
        << ", " << plural(fabric.gpu_count(), "GPU") << "\n";
    if (runs.empty()) { print_node(out, fabric.node(), ""); }
    std::uint32_t first = 0;
    for (const NodeRun& run : runs) {
        print_node(out, run.node, fmt::format("{}-{}", first, first + run.nodes - 1));
        first += run.nodes;
    }
    print_fabric(out, fabric);
    out << "\n  " << padded("links, one direction each", 40) << padded("count", 11) << padded("payload", 13)
        << "latency\n";
    for (const auto& [kind, count] : count_links(fabric)) {
        const std::string name =
            std::string(to_string(kind.cls)) + (kind.resource ? ", shared by both directions" : "");
        const std::string latency = kind.resource ? "" : text(kind.latency);
        out << "  " << padded(name, 40) << padded(std::to_string(count), 11)
            << (latency.empty() ? rate_text(kind.capacity) : padded(rate_text(kind.capacity), 13) + latency) << "\n";
    }
}

PathKind transport_of(const po::variables_map& values) {
    const std::string asked = text_of(values, "transport");
    return static_cast<PathKind>(index_among({"auto", "nvlink", "p2p", "host-staged", "network"},
                                             asked.empty() ? "auto" : asked, "no such transport"));
}

void print_path(std::ostream& out, const Fabric& fabric, const std::vector<std::string>& ends, PathKind transport) {
    if (ends.size() != 2) { throw UsageError("--path takes two devices, as in --path node0.gpu0 node1.gpu3"); }
    const Path path = path_between(fabric, ends[0], ends[1], transport);
    const std::string last = "narrowest, and latency in all";
    std::vector<std::string> names;
    std::size_t width = last.size();
    double narrowest = 0;
    for (const LinkId link : path.span()) {
        names.push_back(fabric.link_name(link));
        width = std::max(width, names.back().size());
        const double capacity = fabric.link(link).capacity;
        narrowest = names.size() == 1 ? capacity : std::min(narrowest, capacity);
    }
    out << "\npath " << ends[0] << " to " << ends[1] << "\n";
    for (std::size_t i = 0; i < path.count; ++i) {
        const LinkInfo info = fabric.link(path.links[i]);
        out << "  " << padded(names[i], width + 2) << padded(rate_text(info.capacity), 13) << text(info.latency)
            << "\n";
    }
    out << "  " << padded(last, width + 2) << padded(path.count == 0 ? "-" : rate_text(narrowest), 13)
        << text(path.latency) << "\n";
}

ExitCode show_topology(const po::variables_map& values) {
    const Scenario scenario = scenario_of(values);
    Outputs outputs(values, {"json", "dot", "graphml", "simgrid", "nccl", "ibnetdiscover", "links", "html"});
    outputs.keep(scenario);
    const Catalog catalog = catalog_of(values, &scenario);
    const Fabric fabric = pointing_into(scenario, [&] { return Fabric(build(scenario, catalog)).whole(); });
    std::ostringstream out;  // printed only once it is complete, so that bad input prints nothing
    print_summary(out, fabric);
    if (values.contains("bisection")) {
        out << "\nbisection  " << rate_text(bisection_bandwidth(fabric)) << " each way between the two halves\n";
    }
    if (values.contains("path")) { print_path(out, fabric, texts_of(values, "path"), transport_of(values)); }
    const auto write = [&](const char* option, std::string (*exported)(const Fabric&)) {
        outputs.write(option, [&] { return exported(fabric); });
    };
    write("dot", to_dot);
    write("graphml", to_graphml);
    write("simgrid", to_simgrid);
    write("ibnetdiscover", to_ibnetdiscover);
    write("links", to_links_csv);
    outputs.write_json([&] {
        Json json = fabric_json(fabric);
        if (const std::vector<std::string> ends = texts_of(values, "path"); ends.size() == 2) {
            json["path"] = path_json(fabric, ends[0], ends[1], transport_of(values));
        }
        return json;
    });
    outputs.write_page([&] {
        html::Page page = html::fabric_page(fabric, host_names(scenario));
        html::add_provenance(page, scenario);
        return page;
    });
    outputs.write("nccl", [&] {
        if (fabric.runs().size() > 1) {
            fail_at(scenario, "cluster.nodes",
                    "NCCL's topology file describes one node, and these are of several kinds");
        }
        return to_nccl_topology(fabric.node(), catalog);
    });
    outputs.words() << out.str();
    return ok;
}

}  // namespace

const Command topo_command = {
    "topo",
    "the cluster: parts, paths, bisection, exports",
    "SCENARIO [OPTION...]",
    scenario_options({
        {"path", words_value("A B"), "the way from device A to device B, hop by hop"},
        {"transport", text_value("T"), "of that path: auto, nvlink, p2p, host-staged or network"},
        {"bisection", {}, "bandwidth between the two halves of the cluster"},
        {"json", text_value("FILE"), "write counts, links and the path as JSON"},
        {"dot", text_value("FILE"), "write the graph for Graphviz"},
        {"graphml", text_value("FILE"), "write the graph as GraphML"},
        {"simgrid", text_value("FILE"), "write a SimGrid platform"},
        {"nccl", text_value("FILE"), "write a node as NCCL's topology XML"},
        {"ibnetdiscover", text_value("FILE"), "write the fabric as ibnetdiscover lists it"},
        {"links", text_value("FILE"), "write the fabric's cables as a csv"},
        {"html", text_value("FILE"), "draw racks, tiers of switches and the first nodes"},
    }),
    {{{"scenario", 1}}},
    show_topology};

}  // namespace fabricast::cli
