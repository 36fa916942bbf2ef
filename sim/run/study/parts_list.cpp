#include "sim/run/study/parts_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "models/device_part.hpp"
#include "sim/scenario/build_parts.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/fabric_generator.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::inline studies {

namespace {

std::optional<Figure> figure_of(const Catalog& catalog, const std::string& part, std::string_view name) {
    const Part* found = catalog.find(part);
    return found != nullptr && found->has(name) ? std::optional(found->figure(name)) : std::nullopt;
}

class Lister {
public:
    Lister(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog)
        : scenario_(scenario), fabric_(fabric), catalog_(catalog) {}

    PartsList list() {
        list_.bill = bill_of(fabric_);
        list_.bill.gpus = 0;
        nodes();
        switches();
        cables();
        return std::move(list_);
    }

private:
    PartLine& add(std::string what, const std::string& part, double count) {
        list_.lines.push_back(
            {std::move(what), part, count, 1, figure_of(catalog_, part, "price"), power_of(part), part});
        return list_.lines.back();
    }

    std::optional<Figure> power_of(const std::string& part) const {
        std::optional<Figure> power = figure_of(catalog_, part, "power.typical");
        return power ? power : figure_of(catalog_, part, "power.max");
    }

    // Whether the scenario names this node's template.
    bool named(const NodeTemplate& node) const {
        const ClusterRequest& cluster = scenario_.cluster;
        const auto names = [&](const NodeRequest& request) { return !request.node_parts && request.node == node.name; };
        return cluster.kinds.empty() ? !cluster.node.empty() && !cluster.node_parts
                                     : std::ranges::any_of(cluster.kinds, names);
    }

    // The node that is bought: with the GPUs that `gpus_per_node` leaves unused. `first`: the number of one such node.
    NodeTemplate bought(const NodeTemplate& used, std::uint32_t first) const {
        const ClusterRequest& cluster = scenario_.cluster;
        if (cluster.gpus_per_node == 0 || (cluster.node.empty() && cluster.kinds.empty())) { return used; }
        const NodeRequest* named = &cluster;
        for (const NodesRequest& kind : cluster.kinds) {
            if (first < kind.count) {
                named = &kind;
                break;
            }
            first -= kind.count;
        }
        const NodeTemplate whole = node_named(*named, catalog_);
        NodeTemplate bought = used;
        bought.gpus = whole.gpus;
        bought.nics = cluster.node_options.contains("nics") ? used.nics : whole.nics;
        return bought;
    }

    // Precondition: named(node).
    NodeTemplate library_of(const NodeTemplate& node) const {
        return node_template(scenario_.cluster.kinds.empty() ? scenario_.cluster.node : node.name, catalog_);
    }

    // Whether the node has the GPU and the adapter of its template, and as many GPUs, NICs and NIC ports.
    bool as_in_the_library(const NodeTemplate& node) const {
        if (!named(node)) { return false; }
        const NodeTemplate library = library_of(node);
        return library.gpu.name == node.gpu.name && library.gpus == node.gpus && library.nics == node.nics &&
               library.nic_ports == node.nic_ports && library.nic_part == node.nic_part;
    }

    void nodes() {
        const Cluster& cluster = fabric_.cluster();
        if (cluster.runs.empty()) { nodes(bought(cluster.node, 0), cluster.nodes); }
        std::uint32_t first = 0;
        for (const NodeRun& run : cluster.runs) {
            nodes(bought(run.node, first), run.nodes);
            first += run.nodes;
        }
    }

    void nodes(const NodeTemplate& node, std::uint32_t count) {
        list_.bill.gpus += std::uint64_t{count} * node.gpus;
        const std::string system = node.name + "-system";
        if (catalog_.find(system) != nullptr && as_in_the_library(node)) {
            add("nodes", system, count);
            return;
        }
        const double gpus = static_cast<double>(count) * node.gpus;
        add("GPUs", node.gpu.name, gpus);
        if (node.nics > 0) { add("NICs", node.nic_part, static_cast<double>(count) * node.nics); }
        PartLine& hosts = add("hosts, in eight GPUs' worth", "host-8gpu", gpus / 8);
        if (catalog_.find(system) != nullptr && named(node)) { take_host_of(system, library_of(node), count, hosts); }
    }

    // Gives hosts the system's power less that of its GPUs and NICs, so that a changed node differs from the system by
    // the power of the parts that were added or left out.
    void take_host_of(const std::string& system, const NodeTemplate& whole, std::uint32_t nodes,
                      PartLine& hosts) const {
        std::optional<Figure> power = power_of(system);
        const std::optional<Figure> gpu = power_of(whole.gpu.name);
        const std::optional<Figure> nic = power_of(whole.nic_part);
        if (!power || !gpu || (whole.nics > 0 && !nic)) { return; }
        const double parts = whole.gpus * gpu->value.front() + (nic ? whole.nics * nic->value.front() : 0);
        if (power->low80 <= parts) { return; }
        for (double* end : {&power->value.front(), &power->low80, &power->high80}) { *end -= parts; }
        power->source.emplace_back("less the typical power of its GPUs and NICs");
        hosts.watts = std::move(power);
        hosts.watts_of = system;
        hosts.watts_each = nodes / hosts.count;
    }

    void switches() {
        const FabricSpec& fabric = fabric_.cluster().fabric;
        if (fabric.kind != FabricKind::explicit_graph) {
            for (const SwitchCount& tier : list_.bill.switches) {
                add(tier.tier + " switches", fabric.switch_part, static_cast<double>(tier.switches));
            }
            return;
        }
        std::map<std::string, double> counts;
        for (const NodeDevice& device : fabric_.cluster().graph.devices) {
            if (const Part* part = catalog_.find(device.part); part != nullptr && part->kind == "switch") {
                counts[device.part] += 1;
            }
        }
        for (const auto& [part, count] : counts) { add("switches", part, count); }
    }

    void cables() {
        const FabricSpec& fabric = fabric_.cluster().fabric;
        std::vector<CableCount> counts = list_.bill.cables;
        if (fabric.kind == FabricKind::explicit_graph) { graph_cables(counts); }
        const std::uint32_t planes = std::max(fabric_.generator().planes(), 1U);
        for (const NodeRun& kind : fabric_.cluster().runs) {  // the slower ports' own cables
            if (counts.empty() || kind.link.name == fabric.link.name) { continue; }
            const std::uint64_t own = std::uint64_t{kind.nodes} * kind.node.nics * planes *
                                      static_cast<std::uint64_t>(std::max(kind.node.nic_ports, 1));
            counts.front().cables -= own;
            cables({counts.front().between, CableRun::node, own}, kind.link, planes);
        }
        for (const CableCount& run : counts) {
            const bool node = run.run == CableRun::node;
            if (run.cables > 0) { cables(run, node ? fabric.link : fabric.trunk, node ? planes : 1); }
        }
    }

    // The cables of an explicit graph, by their own links, each taken out of the `counts` of the bill.
    void graph_cables(std::vector<CableCount>& counts) {
        const ExplicitGraph& graph = fabric_.cluster().graph;
        std::set<std::string> devices;
        for (const NodeDevice& device : graph.devices) { devices.insert(device.name); }
        for (CableCount& run : counts) {
            std::map<std::pair<double, std::string>, std::pair<LinkSpec, std::uint64_t>> links;
            for (const NodeCable& cable : graph.cables) {
                const int ends =
                    static_cast<int>(devices.contains(cable.a)) + static_cast<int>(devices.contains(cable.b));
                if (ends != (run.run == CableRun::node ? 1 : 2)) { continue; }
                auto& [link, number] = links[{cable.link.rate.bytes_per_second(), cable.link.name}];
                link = cable.link;
                number += static_cast<std::uint64_t>(cable.count);
            }
            for (const auto& [key, link] : links) {
                cables({run.between, run.run, link.second}, link.first, 1);
                run.cables -= std::min(run.cables, link.second);
            }
        }
    }

    // Cables that run at one of `shares` equal shares of the link's rate.
    void cables(const CableCount& run, const LinkSpec& link, std::uint32_t shares) {
        const Part& layout = catalog_.at("layout", "usual-layout");
        const double metres = layout.number(run.run == CableRun::node    ? "node_cable"
                                            : run.run == CableRun::trunk ? "trunk_cable"
                                                                         : "core_cable",
                                            "m");
        const Part& copper = catalog_.at("cable", "dac");
        const bool is_copper = metres <= copper_reach_metres(copper, gigabits_per_lane(link));
        CableClass kind{run.between, is_copper ? "dac" : layout.word("cable"), metres, run.cables, 0};
        const std::string what =
            fmt::format("{}{}{} m", run.between, is_copper ? " cables of " : " optics, ", std::lround(metres));
        const std::string module = is_copper ? "" : module_for(kind.medium, link.rate.bytes_per_second() / shares);
        if (module.empty()) {
            add(what, kind.medium, static_cast<double>(run.cables)).watts_each = 2;
        } else {
            kind.modules = 2 * run.cables;
            add(what, module, static_cast<double>(kind.modules));
        }
        list_.cables.push_back(std::move(kind));
    }

    int gigabits_per_lane(const LinkSpec& link) const {
        const Part* part = catalog_.find(link.name);
        const double lanes = part == nullptr ? 4 : part->number_or("lanes", 4);
        return static_cast<int>(std::lround(link.rate.bytes_per_second() * 8e-9 / lanes));
    }

    // The slowest pluggable module for so many bytes per second; none if the medium is sold with its ends.
    std::string module_for(const std::string& medium, double bytes_per_second) const {
        std::string chosen;
        double slowest = 0;
        for (const Part* part : catalog_.of_kind("optics")) {
            const double rate = part->number("rate", "B/s");
            const bool fits = part->word("fibre") == medium && rate >= bytes_per_second * (1 - 1e-9);
            if (fits && (chosen.empty() || rate < slowest)) {
                chosen = part->name;
                slowest = rate;
            }
        }
        return chosen;
    }

    const Scenario& scenario_;
    const Fabric& fabric_;
    const Catalog& catalog_;
    PartsList list_;
};

}  // namespace

std::uint64_t PartsList::modules() const {
    std::uint64_t all = 0;
    for (const CableClass& kind : cables) { all += kind.modules; }
    return all;
}

bool PartsList::priced() const {
    return std::ranges::all_of(lines, [](const PartLine& l) { return l.price.has_value(); });
}

bool PartsList::powered() const {
    return std::ranges::all_of(lines, [](const PartLine& l) { return l.watts.has_value(); });
}

std::vector<std::string> PartsList::missing() const {
    std::vector<std::string> words;
    for (const PartLine& line : lines) {
        if (!line.price) {
            words.push_back(fmt::format("no price of {0}: state one, `prices: {{{0}: 1000 USD}}`", line.part));
        }
        if (!line.watts) { words.push_back("no power of " + line.part); }
    }
    return words;
}

PartsList parts_list(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog) {
    return Lister(scenario, fabric, catalog).list();
}

std::string power_basis(const PartsList& list) {
    for (const PartLine& line : list.lines) {
        if (line.watts_of.ends_with("-system")) { return line.watts_of; }
    }
    return "";
}

}  // namespace fabricast::inline studies
