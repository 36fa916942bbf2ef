#include "discovery/site/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/unit_text.hpp"
#include "discovery/site/fabric_text.hpp"
#include "discovery/site/node_text.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::inline site {

namespace {

class Costs {
public:
    Costs(const Site& site, const Description& description, const Catalog& catalog, const StatedParts& said)
        : site_(site), description_(description), catalog_(catalog), said_(said) {}

    std::string of(const Finding& finding) {
        if (finding.check == "nvlinks") { return of_node(finding, 1); }
        if (finding.check == "width" || finding.check == "socket") {
            return of_node(finding, finding.device.find(".gpu") == std::string::npos ? 2 : 1);
        }
        if (finding.check == "rail") { return finding.share == 0 ? of_missing_nic() : of_crossed_rails(); }
        if (finding.check == "plan") { return of_plan(finding); }
        if (finding.check == "contradiction") { return "unknown until it is known which of the two is right"; }
        if (finding.check == "cable") {
            return of_two_nodes(
                "", fmt::format("events: [{{at: 0 s, device: node0.nic0, share: {:.4f}}}]\n", finding.share));
        }
        if (finding.check == "uplinks") { return of_uplinks(finding.down_per_up); }
        return {};
    }

private:
    // Bus bandwidth at 1 GiB; nullopt where this cluster cannot be forecast.
    std::optional<double> busbw(const std::string& cluster, const std::string& collective,
                                const std::string& more = {}) {
        const std::string text = fmt::format(
            "name: cost\ncluster:\n{}workload: {{kind: collective, collective: {}, sizes: [1 "
            "GiB]}}\n{}",
            cluster, collective, more);
        const auto known = known_.find(text);
        if (known != known_.end()) { return known->second; }
        std::optional<double> found;
        try {
            const Report report = simulate(parse_scenario(text, "cost.yaml"), catalog_);
            if (!report.rows.empty()) { found = report.rows.front().busbw; }
        } catch (const Error&) { found.reset(); }
        return known_[text] = found;
    }

    static std::string words(const std::string& collective, std::optional<double> without, std::optional<double> with) {
        if (!without || !with) { return {}; }
        return fmt::format("{} at 1 GiB: {} -> {}", collective, base::text(*without, Dimension::rate),
                           base::text(*with, Dimension::rate));
    }

    // Two nodes of the site: as they are, and with a fault.
    std::string of_two_nodes(const std::string& fault, const std::string& event = {}) {
        const std::string two = "  nodes: 2\n  fabric: {kind: rail-optimized}\n";
        return words("all_reduce", busbw(description_.node_block + two, "all_reduce"),
                     busbw(description_.node_block + fault + two, "all_reduce", event));
    }

    const NodeSeen* node_of(const std::string& device) const {
        const std::string name = device.substr(0, device.rfind('.'));
        for (const SiteHost& host : site_.hosts) {
            if (host.name == name && host.inside) { return &*host.inside; }
        }
        for (std::size_t i = 0; i < site_.unnamed.size(); ++i) {
            if (name == "the node" || name == fmt::format("node {}", i)) { return &site_.unnamed[i]; }
        }
        return nullptr;
    }

    std::string block(const NodeShape& shape, int nodes) const {
        std::string text = "  node:\n" + node_yaml(shape, "faulty", 4, false) + fmt::format("  nodes: {}\n", nodes);
        if (nodes > 1) { text += "  fabric: {kind: rail-optimized}\n"; }
        return text;
    }

    // The node as it is against the same one mended.
    std::string of_node(const Finding& finding, int nodes) {
        const NodeSeen* seen = node_of(finding.device);
        if (seen == nullptr) { return {}; }
        const NodeShape own = shape_of(*seen, catalog_, said_);
        NodeSeen mended = *seen;
        mend(mended, finding);
        const NodeShape whole = shape_of(mended, catalog_, said_);
        std::optional<double> with = busbw(block(own, nodes), "all_reduce");
        if (!with && finding.check == "nvlinks") { with = busbw(block(without_nvlinks(*seen), nodes), "all_reduce"); }
        return words("all_reduce", busbw(block(whole, nodes), "all_reduce"), with);
    }

    // One GPU that NVLink does not reach makes NCCL's search take PCIe for the whole ring.
    NodeShape without_nvlinks(NodeSeen node) const {
        for (GpuSeen& gpu : node.gpus) { gpu.nvlinks.clear(); }
        return shape_of(node, catalog_, said_);
    }

    // Gives the device what its peers have.
    void mend(NodeSeen& node, const Finding& finding) const {
        if (finding.check == "nvlinks") {
            const GpuSeen best = *std::ranges::max_element(node.gpus, {}, &GpuSeen::nvlink_count);
            for (GpuSeen& gpu : node.gpus) {
                const bool fewer = best.nvlinks.size() == 1 && gpu.nvlink_count() < best.nvlink_count();
                if (fewer || gpu.nvlinks.empty()) { gpu.nvlinks = best.nvlinks; }
            }
        } else if (finding.check == "width") {
            for (const PciKind kind : {PciKind::nic, PciKind::gpu}) {
                PciLink best;
                for (const PciSeen& pci : node.pci) {
                    for (const PciLink& link : {pci.link, pci.capable}) {
                        if (pci.kind == kind && link.rate() > best.rate()) { best = link; }
                    }
                }
                for (PciSeen& pci : node.pci) {
                    if (pci.kind == kind && pci.link.known()) { pci.link = best; }
                }
            }
        } else if (description_.shape) {
            mend_socket(node, finding);
        }
    }

    // Moves an adapter below the CPU that has fewer of them.
    static void mend_socket(NodeSeen& node, const Finding& finding) {
        std::map<int, int> count;
        for (const NicSeen& nic : node.nics) { ++count[nic.numa]; }
        for (NicSeen& nic : node.nics) {
            if (finding.device.find("(" + nic.name + ")") == std::string::npos) { continue; }
            for (const CpuSeen& cpu : node.cpus) {
                if (cpu.numa == nic.numa || count[cpu.numa] >= count[nic.numa]) { continue; }
                nic.numa = cpu.numa;
                for (PciSeen& pci : node.pci) {
                    if (pci.bus != nic.bus) { continue; }
                    pci.numa = cpu.numa;
                    pci.parent.clear();
                }
                return;
            }
        }
    }

    std::string of_missing_nic() {
        const std::size_t nics = description_.wiring.labels.size();
        const bool options = description_.node_block.find("options:") != std::string::npos;
        if (nics < 2 || options) { return {}; }
        return of_two_nodes(fmt::format("  options: {{nics: {}}}\n", nics - 1));
    }

    // A cable that the plan has and nobody found, that goes elsewhere, or that nobody planned.
    std::string of_plan(const Finding& finding) {
        switch (finding.plan) {
            case PlanFault::extra: return "nothing: a cable more than was planned";
            case PlanFault::miswired: return of_crossed_rails();
            case PlanFault::unknown_switch: return "unknown: what hangs on it was not found either";
            case PlanFault::none:
            case PlanFault::missing: break;
        }
        return finding.down_per_up.second > 0 ? of_uplinks(finding.down_per_up) : of_missing_nic();
    }

    // Two nodes at a leaf for each rail, two cables from each leaf to one spine; two adapters of one node change
    // places.
    std::string of_crossed_rails() {
        const std::size_t nics = description_.wiring.labels.size();
        if (nics < 2) { return {}; }
        const auto cluster = [&](bool crossed) {
            std::string text = "  nodes: 2\n  fabric: {kind: explicit, link: " + port_link() +
                               "}\n  graph:\n    devices:\n      - {name: spine}\n";
            std::string cables;
            for (std::size_t nic = 0; nic < nics; ++nic) {
                const std::size_t other = crossed && nic < 2 ? 1 - nic : nic;
                text += fmt::format("      - {{name: leaf{}}}\n", nic);
                cables += fmt::format(
                    "      - {{a: node0.nic{0}, b: leaf{0}}}\n      - {{a: node1.nic{0}, b: leaf{1}}}\n"
                    "      - {{a: leaf{0}, b: spine, count: 2}}\n",
                    nic, other);
            }
            return description_.node_block + text + "    cables:\n" + cables;
        };
        return words("all_reduce", busbw(cluster(false), "all_reduce"), busbw(cluster(true), "all_reduce"));
    }

    std::string port_link() const {
        const std::string link = fabric_link(site_, description_.wiring);
        if (!link.empty()) { return link; }
        return description_.shape ? description_.shape->port : node_template(description_.node, catalog_).nic_link;
    }

    // Eight units of 16 nodes that exchange all to all, which sends most bytes up. Fewer up than down is what costs.
    std::string of_uplinks(const std::pair<double, double>& down_per_up) {
        const auto fabric = [](double ratio) {
            const double up = std::max(1.0, std::round(16 / std::max(ratio, 1.0)));
            return fmt::format(
                "  nodes: 128\n  fabric: {{kind: rail-optimized, scalable_unit: 16, tiers: 2, oversubscription: "
                "{:.6f}}}\n",
                16 / up);
        };
        return words("all_to_all", busbw(description_.node_block + fabric(down_per_up.first), "all_to_all"),
                     busbw(description_.node_block + fabric(down_per_up.second), "all_to_all"));
    }

    const Site& site_;
    const Description& description_;
    const Catalog& catalog_;
    const StatedParts& said_;
    std::map<std::string, std::optional<double>> known_;
};

}  // namespace

void forecast_costs(std::vector<Finding>& findings, const Site& site, const Description& description,
                    const Catalog& catalog, const StatedParts& said) {
    Costs costs(site, description, catalog, said);
    for (Finding& finding : findings) { finding.cost = costs.of(finding); }
}

}  // namespace fabricast::inline site
