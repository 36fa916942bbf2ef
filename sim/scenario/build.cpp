#include "sim/scenario/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "models/link_part.hpp"
#include "sim/scenario/build_parts.hpp"
#include "sim/scenario/graph_ports.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/catalog_folder.hpp"
#include "topologies/drawn_nodes.hpp"
#include "topologies/fabric_generator.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline scenario {

namespace {

class Builder {
public:
    Builder(const Scenario& scenario, const Catalog& catalog, std::uint32_t nodes)
        : scenario_(scenario), request_(scenario.cluster), catalog_(catalog) {
        cluster_.name = scenario.name;
        cluster_.nodes = nodes;
    }

    Cluster build() {
        if (!request_.kinds.empty()) {
            build_kinds();
        } else if (!request_.node.empty()) {
            cluster_.node = build_node(scenario_, request_, place_of(scenario_, "cluster.node"), catalog_);
        } else if (!request_.graph) {  // a graph may name its GPUs itself
            fail_at(scenario_, "cluster", "the cluster names no node template: `node: dgx-h100`");
        }
        FabricSpec& fabric = cluster_.fabric;
        fabric.kind = fabric_kind();
        fabric.seed = scenario_.seed;
        if (fabric.kind != FabricKind::none && cluster_.node.nics > 0) {
            build_fabric();
        }  // if several nodes need NICs, the Fabric's constructor refuses the cluster
        if (request_.graph) { build_graph(); }
        cluster_.place = node_numbers(scenario_, "cluster.place", request_.place);
        return std::move(cluster_);
    }

private:
    // The first `nodes` nodes of the list. Neighbours of one template are one run.
    void build_kinds() {
        std::uint32_t left = cluster_.nodes;
        const NodesRequest* before = nullptr;
        for (const NodesRequest& kind : request_.kinds) {
            if (left == 0) { break; }
            const std::uint32_t count = std::min(kind.count, left);
            left -= count;
            if (before != nullptr && !kind.node_parts && !before->node_parts && kind.node == before->node) {
                cluster_.runs.back().nodes += count;
                continue;
            }
            before = &kind;
            cluster_.runs.push_back({build_node(scenario_, kind, kind.place, catalog_), count, {}});
            refuse_unlike(cluster_.runs.front().node, cluster_.runs.back().node, kind.place);
        }
        cluster_.node = cluster_.runs.front().node;
        if (cluster_.runs.size() == 1) { cluster_.runs.clear(); }
        if (left > 0) {
            fail_at(scenario_, "cluster.nodes", "the list has fewer nodes", fmt::to_string(cluster_.nodes - left),
                    fmt::to_string(cluster_.nodes));
        }
    }

    // Ranks, rails and the fabric's ports are counted alike in every node.
    static void refuse_unlike(const NodeTemplate& first, const NodeTemplate& node, const SourceLocation& place) {
        const auto refuse = [&](std::string_view what, std::uint32_t a, std::uint32_t b, std::string_view accepted) {
            throw InputError(
                place, error_message(fmt::format("nodes of several kinds need equal numbers of {}", what),
                                     fmt::format("{} in '{}', {} in '{}'", a, first.name, b, node.name), accepted));
        };
        if (node.gpus != first.gpus) {
            refuse("GPUs", first.gpus, node.gpus, "`gpus_per_node: N` that all of them have");
        }
        if (node.nics != first.nics) {
            refuse("NICs", first.nics, node.nics, "`options: {nics: N}` that all of them have");
        }
        if (Trays(node).tray_of != Trays(first).tray_of) {
            throw InputError(
                place, fmt::format("nodes of several kinds need equal trays: those of '{}' and '{}' differ", first.name,
                                   node.name));
        }
    }

    // The port of a slower NIC runs at its own rate, if it speaks the fabric's language.
    void choose_ports() {
        for (NodeRun& run : cluster_.runs) {
            const NicSpec nic =
                look_up_at(scenario_, "cluster.nodes", [&] { return nic_spec(catalog_.at("nic", run.node.nic_part)); });
            const bool fast = !(nic.port_rate < cluster_.fabric.link.rate);
            run.link = fast ? cluster_.fabric.link : link("cluster.nodes", run.node.nic_link);
            if (!has_word(nic.speaks, catalog_.at("link", cluster_.fabric.link.name).word("family"))) {
                fail_at(scenario_, "cluster.nodes",
                        fmt::format("the NICs of '{}' do not speak the fabric's {}", run.node.name,
                                    cluster_.fabric.link.name),
                        nic.speaks, "nodes of one family of networks, or `options: {nic: ...}`");
            }
            run.link.latency += cable("node_cable");
        }
    }

    LinkSpec link(std::string_view key, std::string_view name) const {
        return look_up_at(scenario_, key, [&] { return link_spec(catalog_.at("link", name)); });
    }

    FabricKind fabric_kind() const {
        if (request_.graph) { return FabricKind::explicit_graph; }
        if (request_.fabric_kind.empty()) {
            return cluster_.nodes == 1 ? FabricKind::none : FabricKind::rail_optimized;
        }
        for (const Topology& kind : topology_kinds()) {
            if (kind.name == request_.fabric_kind) { return FabricKind(kind); }
        }
        fail_at(scenario_, "cluster.fabric.kind", fmt::format("no fabric kind '{}'", request_.fabric_kind));
    }

    void build_fabric() {
        FabricSpec& fabric = cluster_.fabric;
        fabric.oversubscription = request_.oversubscription;
        fabric.tiers = request_.tiers;
        fabric.shape = request_.shape;
        fabric.scalable_unit = request_.scalable_unit;
        fabric.spines = request_.spines;
        fabric.planes = request_.planes > 0 ? request_.planes : fabric.planes;
        fabric.management_ports = request_.management_ports;
        refuse_keys_of_other_kinds();
        fabric.link = link("cluster.fabric.link", usual_link());
        fabric.trunk = request_.trunk.empty() ? fabric.link : link("cluster.fabric.trunk", request_.trunk);
        choose_ports();
        if (cluster_.runs.empty()) {
            refuse_slow_ports(scenario_, catalog_, fabric, look_up_at(scenario_, "cluster.node", [&] {
                                  return nic_spec(catalog_.at("nic", cluster_.node.nic_part));
                              }));
        }
        choose_switch();
        fabric.link.latency += cable("node_cable");
        fabric.trunk.latency += cable("trunk_cable");
        choose_routing();
    }

    // The scenario's, else the first network link that a cable of the graph names, else the NIC's own.
    std::string usual_link() const {
        if (!request_.link.empty()) { return request_.link; }
        for (const NodeCable& cable : request_.graph ? request_.graph->cables : std::vector<NodeCable>{}) {
            const Part* part = cable.link.name.empty() ? nullptr : catalog_.find(cable.link.name);
            const bool stated = part != nullptr && part->has("family");
            if (stated && look_up_at(scenario_, "cluster.graph.cables", [&] { return link_family(*part)->network; })) {
                return cable.link.name;
            }
        }
        const NodeRun* fastest = nullptr;
        for (const NodeRun& run : cluster_.runs) {
            const bool faster = fastest == nullptr || link("cluster.nodes", fastest->node.nic_link).rate <
                                                          link("cluster.nodes", run.node.nic_link).rate;
            fastest = faster ? &run : fastest;
        }
        return fastest != nullptr ? fastest->node.nic_link : cluster_.node.nic_link;
    }

    void refuse_keys_of_other_kinds() const {
        for (const auto& [key, stated] :
             {std::pair{"oversubscription", request_.oversubscription != 1}, std::pair{"tiers", request_.tiers > 0},
              std::pair{"shape", !request_.shape.empty()}, std::pair{"scalable_unit", request_.scalable_unit > 0},
              std::pair{"spines", request_.spines > 0}, std::pair{"planes", request_.planes > 0}}) {
            if (!stated || cluster_.fabric.kind->takes(key)) { continue; }
            std::vector<std::string> others;
            for (const Topology& kind : topology_kinds()) {
                if (kind.takes(key)) { others.emplace_back(kind.name); }
            }
            fail_at(scenario_, std::string("cluster.fabric.") + key,
                    fmt::format("'{}' changes nothing in a fabric of this kind", key), cluster_.fabric.kind->name,
                    joined(others));
        }
    }

    const Part& layout() const {
        return *look_up_at(scenario_, "cluster.fabric", [&] { return &catalog_.at("layout", "usual-layout"); });
    }

    Duration cable(std::string_view length) const {
        if (request_.cable_latency.ps > 0) { return request_.cable_latency; }
        return look_up_at(scenario_, "cluster.fabric", [&] {
            return cable_latency(catalog_.at("cable", layout().word("cable")), layout().number(length));
        });
    }

    void choose_switch() {
        FabricSpec& fabric = cluster_.fabric;
        const SwitchSpec chosen = switch_for(scenario_, catalog_, fabric);
        refuse_slow_ports(scenario_, catalog_, fabric, chosen);
        fabric.switch_part = chosen.name;
        fabric.switch_latency = chosen.latency;
        // Ports can be split in two or more for slower links: 64 ports of NDR serve 128 links of NDR200.
        const int links = links_of_port(chosen, fabric.link.rate);
        fabric.radix = request_.radix > 0 ? request_.radix : chosen.radix * links;
        fabric.port_links = static_cast<std::uint32_t>(links);
        fabric.port_trunks = static_cast<std::uint32_t>(links_of_port(chosen, fabric.trunk.rate));
        if (fabric.kind == FabricKind::dual_plane) { share_ports(chosen); }
    }

    // How many cables of the planes fit on one port. A port of InfiniBand has no lanes but those that its split gives;
    // one of Ethernet also runs slower than it could.
    void share_ports(const SwitchSpec& chosen) {
        FabricSpec& fabric = cluster_.fabric;
        const Rate of_plane{fabric.link.rate.num, fabric.link.rate.den * fabric.planes};
        const int most = links_of_port(chosen, of_plane) / links_of_port(chosen, fabric.link.rate);
        fabric.plane_cables = static_cast<std::uint32_t>(most);
        if (fabric.link.family == LinkFamily::infiniband && fabric.plane_cables < fabric.planes) {
            fail_at(scenario_, request_.planes > 0 ? "cluster.fabric.planes" : "cluster.fabric.kind",
                    fmt::format("a port of {} does not split '{}' into one cable for each plane", chosen.name,
                                fabric.link.name),
                    fmt::format("{} planes", fabric.planes),
                    most > 1 ? fmt::format("planes: {}", most) : "kind: rail-optimized");
        }
    }

    void choose_routing() {
        FabricSpec& fabric = cluster_.fabric;
        const bool adaptive = request_.routing.empty() ? fabric.link.family->sprays : request_.routing == "adaptive";
        fabric.choice = adaptive ? PathChoice::adaptive : PathChoice::ecmp;
        fabric.same_hash = request_.routing == "ecmp-one-seed";
        const auto told = std::ranges::find(graph_routing_names, request_.routing) - graph_routing_names.begin();
        if (told >= 1 && told < 4) {
            if (!request_.graph) {
                fail_at(scenario_, "cluster.fabric.routing", "a subnet manager's tables are made of a graph",
                        shown(request_.routing), "adaptive, ecmp, ecmp-one-seed; or kind: explicit");
            }
            fabric.routing = static_cast<GraphRouting>(told);
        }
        fabric.trunk_utilisation = adaptive ? layout().number("adaptive_utilisation") : 1;
    }

    void build_graph() {
        if (request_.node.empty() && request_.graph->devices.empty()) {
            fail_at(scenario_, "cluster.graph",
                    "an empty graph (found no device; accepted: devices, GPUs among them, and cables)");
        }
        cluster_.graph = *request_.graph;
        expand_node_ranges(cluster_.graph.cables);
        for (NodeDevice& device : cluster_.graph.devices) { complete(device); }
        for (NodeCable& cable : cluster_.graph.cables) { complete(cable); }
        refuse_unfit_cables(scenario_, catalog_, cluster_);
    }

    // Fills in what a device of the graph does not state from its part.
    void complete(NodeDevice& device) {
        const Part* part = catalog_.find(device.part);
        if (part != nullptr && part->kind == "gpu" && cluster_.node.gpus == 0) {
            cluster_.node.gpu = gpu_spec(*part);  // the graph contains its nodes
        }
        if (device.part.empty() || device.latency.ps > 0) { return; }
        if (part == nullptr) {  // throws, naming the nearest
            part = look_up_at(scenario_, "cluster.graph.devices", [&] { return &catalog_.at("switch", device.part); });
        }
        device.latency = part->has("latency") ? part->duration("latency") : Duration{};
    }

    void complete(NodeCable& cable) const {
        if (cable.link.rate.num > 0) { return; }
        const Duration latency = cable.link.latency;
        const std::string name = cable.link.name.empty() ? request_.link : cable.link.name;
        if (name.empty()) {
            fail_at(scenario_, "cluster.graph.cables",
                    fmt::format("cable {} to {} has neither `link` nor `rate`", cable.a, cable.b));
        }
        cable.link = link("cluster.graph.cables", name);
        cable.link.latency = latency.ps > 0 ? latency : cable.link.latency;
    }

    const Scenario& scenario_;
    const ClusterRequest& request_;
    const Catalog& catalog_;
    Cluster cluster_;
};

}  // namespace

Catalog calibrated_catalog(const std::string& folder, const Scenario* scenario,
                           const std::vector<std::string>& overlays) {
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
        throw CatalogError(error_message("no catalogue to add", shown(folder), "a folder of YAML files with parts"));
    }
    Catalog catalog = folder.empty() ? read_catalog() : read_catalog(folder);
    if (scenario != nullptr) {
        for (const std::string& overlay : scenario->calibration) {
            if (!std::filesystem::is_regular_file(overlay)) {
                throw InputError(place_of(*scenario, "calibration"),
                                 error_message("an overlay cannot be read", shown(overlay), "a file that exists"));
            }
            merge_overlay(catalog, yaml::read(overlay));
        }
    }
    for (const std::string& overlay : overlays) { merge_overlay(catalog, yaml::read(overlay)); }
    return catalog;
}

std::vector<std::string> host_names(const Scenario& scenario) {
    const ClusterRequest& cluster = scenario.cluster;
    std::vector<std::string> names = hostlist(cluster.hosts, place_of(scenario, "cluster.hosts"));
    if (!names.empty() && names.size() != cluster.nodes && !(cluster.graph && cluster.node.empty())) {
        fail_at(scenario, "cluster.hosts", "'hosts' names another number of nodes", fmt::to_string(names.size()),
                fmt::to_string(cluster.nodes));
    }
    return names;
}

std::vector<std::uint32_t> node_numbers(const Scenario& scenario, std::string_view key, const std::string& list) {
    std::vector<std::uint32_t> numbers;
    if (list.empty()) { return numbers; }
    const std::vector<std::string> hosts = host_names(scenario);
    std::map<std::string, std::uint32_t> known;
    for (const std::string& host : hosts) { known.emplace(lower_case(host), known.size()); }
    for (const std::string& name : hostlist(list, place_of(scenario, key))) {
        const std::string host = lower_case(name);
        auto found = known.find(host);
        if (found == known.end()) { found = known.find(host.substr(0, host.find('.'))); }  // a domain behind it
        const auto number = found != known.end() ? std::optional(found->second) : number_after(host, "node");
        if (!number) {
            fail_at(scenario, key,
                    fmt::format("no node of the cluster is called '{}'{}", name,
                                did_you_mean(name, hosts, " (accepted: names of `cluster.hosts`, or node[0-7])")));
        }
        numbers.push_back(*number);
    }
    return numbers;
}

Cluster build(const Scenario& scenario, const Catalog& catalog, std::uint32_t nodes) {
    return Builder(scenario, catalog, nodes).build();
}

Cluster build(const Scenario& scenario, const Catalog& catalog) {
    return build(scenario, catalog, scenario.cluster.nodes);
}

}  // namespace fabricast::inline scenario
