#include "sim/scenario/build.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/nearest_word.hpp"
#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "topologies/node_links.hpp"
#include "topologies/node_reader.hpp"
#include "topologies/trays.hpp"

namespace fabricast {

namespace {

class Builder {
public:
    Builder(const Scenario& scenario, const Catalog& catalog, std::uint32_t nodes)
        : scenario_(scenario), request_(scenario.cluster), catalog_(catalog) {
        cluster_.name = scenario.name;
        cluster_.nodes = nodes;
    }

    Cluster build() {
        build_node();
        build_fabric();
        return std::move(cluster_);
    }

private:
    [[noreturn]] void fail(std::string_view key, const std::string& message) const {
        throw InputError(place_of(scenario_, key), message);
    }

    // Reports what is missing in the catalogue at the key that asked for it.
    template <class Look>
    auto look_up(std::string_view key, Look&& look) const {
        try {
            return look();
        } catch (const CatalogError& error) {
            fail(key, error.what());
        }
    }

    LinkSpec link(std::string_view key, std::string_view name) const {
        return look_up(key, [&] { return link_spec(catalog_.at("link", name)); });
    }

    void build_node() {
        NodeTemplate& node = cluster_.node;
        const bool graph_alone = request_.node.empty() && request_.graph;
        if (graph_alone) {
            return;  // the graph names its GPUs itself
        }
        if (request_.node.empty()) {
            fail("cluster", "the cluster names no node template: `node: dgx-h100`");
        }
        node = look_up("cluster.node", [&] { return node_template(request_.node, catalog_); });
        if (request_.gpus_per_node > node.gpus) {
            fail("cluster.gpus_per_node", "node '" + node.name + "' has " + std::to_string(node.gpus) + " GPUs");
        }
        if (request_.gpus_per_node > 0) {
            use_gpus(request_.gpus_per_node);
        }
        for (const auto& [name, value] : request_.node_options) {
            apply_option("cluster.options." + name, name, value);
        }
        slow_to_devices(node, catalog_);
        if (request_.node_options.contains("gpu")) {
            look_up("cluster.options.gpu", [&] { check_node_links(node, catalog_); });
        }
    }

    // Keeps the first `gpus` GPUs. Trays of a rack without any of them are left out, with their NICs.
    void use_gpus(std::uint32_t gpus) {
        NodeTemplate& node = cluster_.node;
        const Trays trays(node);
        node.gpus = gpus;
        std::vector<std::uint32_t> stay;
        for (std::uint32_t nic = 0; nic < node.nics; ++nic) {
            const auto used = trays.tray_of_gpu.begin() + gpus;
            if (trays.count == 1 || std::find(trays.tray_of_gpu.begin(), used, trays.tray_of[nic]) != used) {
                stay.push_back(nic);
            }
        }
        keep_nics(stay);
    }

    bool as_flag(const std::string& key, const std::string& value) const {
        if (value != "true" && value != "false") {
            fail(key, error_message("this option is a switch", shown(value), "true, false"));
        }
        return value == "true";
    }

    void apply_option(const std::string& key, const std::string& name, const std::string& value) {
        static const std::vector<std::string> options = {"cpu_vendor", "gpu",  "gpu_direct",
                                                         "nic",        "nics", "peer_to_peer"};
        static const std::vector<std::string> vendors = {"amd", "intel", "nvidia", "ibm"};
        if (name == "peer_to_peer") {
            cluster_.node.peer_to_peer = as_flag(key, value);
        } else if (name == "gpu_direct") {
            cluster_.node.gpu_direct = as_flag(key, value);
        } else if (name == "cpu_vendor") {
            if (std::find(vendors.begin(), vendors.end(), value) == vendors.end()) {
                fail(key, error_message("no such maker of CPUs", shown(value), joined(vendors),
                                        nearest_word(value, vendors)));
            }
            if (value != cluster_.node.cpu_vendor) {
                cluster_.node.cpu_vendor = value;
                cluster_.node.cpu_family.clear();
            }
        } else if (name == "gpu") {  // another GPU in the same places: more memory, less power
            cluster_.node.gpu = look_up(key, [&] { return gpu_spec(catalog_.at("gpu", value)); });
        } else if (name == "nic") {
            set_nic(key, value);
        } else if (name == "nics") {
            std::uint32_t nics = 0;
            const char* end = value.data() + value.size();
            if (std::from_chars(value.data(), end, nics).ptr != end || value.empty() || nics == 0) {
                fail(key, error_message("this option is a number of NICs", shown(value), "1, 2, ..."));
            }
            set_nics(key, nics);
        } else {
            fail(key, error_message("node templates have no such option", shown(name), joined(options),
                                    nearest_word(name, options)));
        }
    }

    // Replaces the adapters, with the new adapter's usual port.
    void set_nic(const std::string& key, const std::string& part) {
        const NicSpec nic = look_up(key, [&] { return nic_spec(catalog_.at("nic", part)); });
        cluster_.node.nic_part = nic.name;
        cluster_.node.nic_link = nic.port_link;
        const Duration both = nic.transmit_latency + nic.receive_latency + nic.gpu_memory_penalty;
        for (NodeDevice& device : cluster_.node.devices) {
            if (device.name.starts_with("nic")) {
                device.part = nic.name;
                device.latency = {both.ps / 2};
            }
        }
    }

    // Fewer NICs than the template: keeps evenly spaced ones. More: each NIC gets several ports.
    void set_nics(const std::string& key, std::uint32_t nics) {
        NodeTemplate& node = cluster_.node;
        if (node.nics == 0 || (nics > node.nics && nics % node.nics != 0)) {
            fail(key, "node '" + node.name + "' has places for " + std::to_string(node.nics) +
                          " NICs; take fewer, or a multiple for several ports each");
        }
        if (nics >= node.nics) {
            node.nic_ports = static_cast<int>(nics / node.nics);
            return;
        }
        std::vector<std::uint32_t> stay;
        for (std::uint32_t i = 0; i < nics; ++i) {
            stay.push_back(i * node.nics / nics);
        }
        keep_nics(stay);
    }

    // Keeps exactly these NICs and renumbers them.
    void keep_nics(const std::vector<std::uint32_t>& stay) {
        NodeTemplate& node = cluster_.node;
        const auto kept = [&](const std::string& name) -> std::optional<std::string> {
            for (std::size_t i = 0; i < stay.size(); ++i) {
                if (name == "nic" + std::to_string(stay[i])) {
                    return "nic" + std::to_string(i);
                }
            }
            return std::nullopt;
        };
        const auto is_nic = [](const std::string& name) { return name.starts_with("nic"); };
        std::erase_if(node.devices, [&](const NodeDevice& d) { return is_nic(d.name) && !kept(d.name); });
        std::erase_if(node.cables,
                      [&](const NodeCable& c) { return (is_nic(c.a) && !kept(c.a)) || (is_nic(c.b) && !kept(c.b)); });
        for (NodeDevice& device : node.devices) {
            device.name = is_nic(device.name) ? *kept(device.name) : device.name;
        }
        for (NodeCable& cable : node.cables) {
            cable.a = is_nic(cable.a) ? *kept(cable.a) : cable.a;
            cable.b = is_nic(cable.b) ? *kept(cable.b) : cable.b;
        }
        node.nics = static_cast<std::uint32_t>(stay.size());
    }

    FabricKind fabric_kind() const {
        if (request_.graph) {
            return FabricKind::explicit_graph;
        }
        if (request_.fabric_kind.empty()) {
            return cluster_.nodes == 1 ? FabricKind::none : FabricKind::rail_optimized;
        }
        for (int k = 0; k <= static_cast<int>(FabricKind::explicit_graph); ++k) {
            if (to_string(static_cast<FabricKind>(k)) == request_.fabric_kind) {
                return static_cast<FabricKind>(k);
            }
        }
        fail("cluster.fabric.kind", "no fabric kind '" + request_.fabric_kind + "'");
    }

    void build_fabric() {
        FabricSpec& fabric = cluster_.fabric;
        fabric.kind = fabric_kind();
        fabric.seed = scenario_.seed;
        if (fabric.kind == FabricKind::none || cluster_.node.nics == 0) {
            // If several nodes need NICs, the Fabric's constructor refuses the cluster.
            build_graph();
            return;
        }
        fabric.oversubscription = request_.oversubscription;
        fabric.tiers = request_.tiers;
        fabric.shape = request_.shape;
        refuse_clos_words(fabric.kind);
        fabric.scalable_unit = request_.scalable_unit;
        fabric.spines = request_.spines;
        fabric.management_ports = request_.management_ports;
        const std::string drawn = request_.graph ? link_of_graph(*request_.graph) : "";
        const std::string usual = drawn.empty() ? cluster_.node.nic_link : drawn;
        const std::string name = request_.link.empty() ? usual : request_.link;
        fabric.link = link("cluster.fabric.link", name);
        fabric.trunk = request_.trunk.empty() ? fabric.link : link("cluster.fabric.trunk", request_.trunk);
        refuse_slow_nic();
        choose_switch();
        fabric.link.latency += cable("node_cable");
        fabric.trunk.latency += cable("trunk_cable");
        choose_routing();
        build_graph();
    }

    // The first network link that a cable names, for graphs whose `link` is not given. Its family decides on flow
    // control and transport.
    std::string link_of_graph(const ExplicitGraph& graph) const {
        static const std::set<std::string_view> of_networks = {"infiniband", "ethernet", "slingshot", "efa"};
        for (const NodeCable& cable : graph.cables) {
            const Part* part = cable.link.name.empty() ? nullptr : catalog_.find(cable.link.name);
            if (part != nullptr && of_networks.contains(part->word_or("family", ""))) {
                return cable.link.name;
            }
        }
        return "";
    }

    // Refuses keys that only fabrics of leaves and spines have.
    void refuse_clos_words(FabricKind kind) const {
        const bool clos = kind == FabricKind::single_switch || kind == FabricKind::fat_tree ||
                          kind == FabricKind::rail_optimized || kind == FabricKind::rail_only ||
                          kind == FabricKind::dual_plane;
        for (const auto& [name, value] :
             {std::pair{"scalable_unit", request_.scalable_unit}, std::pair{"spines", request_.spines}}) {
            if (value > 0 && !clos) {
                fail(std::string("cluster.fabric.") + name,
                     error_message("'" + std::string(name) + "' is a word of fabrics of leaves and spines",
                                   std::string(to_string(kind)), "fat-tree, rail-optimized, rail-only, dual-plane"));
            }
        }
    }

    // Refuses a link that is faster than the NIC's ports: a cable runs no faster than the ports at its two ends.
    void refuse_slow_nic() const {
        const FabricSpec& fabric = cluster_.fabric;
        const NicSpec nic =
            look_up("cluster.node", [&] { return nic_spec(catalog_.at("nic", cluster_.node.nic_part)); });
        if (nic.port_rate < fabric.link.rate) {
            refuse_link("cluster.fabric.link", fabric.link, nic.name, nic.port_rate, "options: {nic: ...}",
                        parts_at_least<NicSpec>("nic", nic_spec, fabric.link));
        }
    }

    void refuse_slow_switch(const SwitchSpec& chosen) const {
        const FabricSpec& fabric = cluster_.fabric;
        for (const auto& [key, link] :
             {std::pair{"cluster.fabric.link", &fabric.link}, std::pair{"cluster.fabric.trunk", &fabric.trunk}}) {
            if (chosen.port_rate < link->rate) {
                refuse_link(key, *link, chosen.name, chosen.port_rate, "switch: ...",
                            parts_at_least<SwitchSpec>("switch", switch_spec, *link));
            }
        }
    }

    // Suggests what fits either part of the pair: slower links for the port, faster ports for the link.
    [[noreturn]] void refuse_link(std::string_view key, const LinkSpec& fast, const std::string& part, Rate port,
                                  const std::string& where, const std::vector<std::string>& faster) const {
        const std::string family = catalog_.at("link", fast.name).word("family");
        std::vector<std::string> slower;
        for (const Part* other : catalog_.of_kind("link")) {
            if (other->word("family") == family && !(port < link_spec(*other).rate)) {
                slower.push_back(other->name);
            }
        }
        fail(key, error_message("link '" + fast.name + "' is faster than the ports of " + part,
                                gigabits(fast.rate) + " on " + gigabits(port),
                                "on " + part + ": " + (slower.empty() ? "nothing of its family" : joined(slower)) +
                                    "; for " + fast.name + " (`" + where +
                                    "`): " + (faster.empty() ? "nothing in the catalogue" : joined(faster))));
    }

    static std::string gigabits(Rate rate) {
        return std::to_string(std::llround(rate.bytes_per_second() * 8 / 1e9)) + " Gb/s";
    }

    // Names the parts of the link's family whose ports have at least the link's rate.
    template <class Spec>
    std::vector<std::string> parts_at_least(std::string_view kind, Spec (*spec_of)(const Part&),
                                            const LinkSpec& link) const {
        const std::string family = catalog_.at("link", link.name).word("family");
        std::vector<std::string> names;
        for (const Part* part : catalog_.of_kind(kind)) {
            const Spec spec = spec_of(*part);
            if (speaks(spec.speaks, family) && !(spec.port_rate < link.rate)) {
                names.push_back(part->name);
            }
        }
        return names;
    }

    const Part& layout() const {
        return *look_up("cluster.fabric", [&] { return &catalog_.at("layout", "usual-layout"); });
    }

    Duration cable(std::string_view length) const {
        if (request_.cable_latency.ps > 0) {
            return request_.cable_latency;
        }
        return look_up("cluster.fabric", [&] {
            return cable_latency(cable_spec(catalog_.at("cable", layout().word("cable"))), layout().number(length));
        });
    }

    // The signalling rate of a lane: it distinguishes NDR200 from HDR, which are equally fast. 0 if the part does not
    // state it.
    double signalling(std::string_view name) const {
        const Part* part = catalog_.find(name);
        return part == nullptr ? 0 : part->number_or("signalling", 0);
    }

    // The switch for a link if the scenario names none. Of all switches of the link's family that are fast enough,
    // those of the link's generation are preferred; among them the slowest, then the one with the most ports.
    SwitchSpec usual_switch(const std::string& family) const {
        const FabricSpec& fabric = cluster_.fabric;
        SwitchSpec chosen;
        bool chosen_like = false;
        for (const Part* part : catalog_.of_kind("switch")) {
            const SwitchSpec spec = switch_spec(*part);
            if (!speaks(spec.speaks, family) || spec.port_rate < fabric.link.rate) {
                continue;
            }
            const bool like = signalling(part->word_or("link", "")) == signalling(fabric.link.name);
            const bool better =
                spec.port_rate < chosen.port_rate || (spec.port_rate == chosen.port_rate && spec.radix > chosen.radix);
            if (chosen.name.empty() || like > chosen_like || (like == chosen_like && better)) {
                chosen = spec;
                chosen_like = like;
            }
        }
        if (chosen.name.empty()) {
            fail("cluster.fabric.link", "no switch in the catalogue speaks " + family + " at the rate of '" +
                                            fabric.link.name + "'; name one under `switch`");
        }
        return chosen;
    }

    SwitchSpec asked_switch(const std::string& family) const {
        SwitchSpec asked =
            look_up("cluster.fabric.switch", [&] { return switch_spec(catalog_.at("switch", request_.switch_part)); });
        if (!speaks(asked.speaks, family)) {
            fail("cluster.fabric.switch", "switch '" + asked.name + "' speaks " + joined(asked.speaks) + ", not " +
                                              family + " as link '" + cluster_.fabric.link.name + "' does");
        }
        return asked;
    }

    void choose_switch() {
        FabricSpec& fabric = cluster_.fabric;
        const std::string family =
            look_up("cluster.fabric.link", [&] { return catalog_.at("link", fabric.link.name).word("family"); });
        const SwitchSpec chosen = request_.switch_part.empty() ? usual_switch(family) : asked_switch(family);
        refuse_slow_switch(chosen);
        fabric.switch_part = chosen.name;
        fabric.switch_latency = chosen.latency;
        // Ports can be split in two or more for slower links: 64 ports of NDR serve 128 links of NDR200.
        const Rate split{chosen.port_rate.num, chosen.port_rate.den * chosen.split};
        const int radix = chosen.radix * (fabric.link.rate <= split ? chosen.split : 1);
        fabric.radix = request_.radix > 0 ? request_.radix : radix;
    }

    void choose_routing() {
        FabricSpec& fabric = cluster_.fabric;
        // Slingshot and EFA's SRD spray packets too; Ethernet is taken to hash flows unless the scenario says
        // otherwise.
        const bool hashes = fabric.link.family == LinkFamily::ethernet || fabric.link.family == LinkFamily::other;
        const bool adaptive = request_.routing.empty() ? !hashes : request_.routing == "adaptive";
        fabric.choice = adaptive ? PathChoice::adaptive : PathChoice::ecmp;
        fabric.same_hash = request_.routing == "ecmp-one-seed";
        fabric.trunk_utilisation = adaptive ? layout().number("adaptive_utilisation") : 1;
    }

    void build_graph() {
        if (!request_.graph) {
            return;
        }
        if (request_.node.empty() && request_.graph->devices.empty()) {
            fail("cluster.graph", "an empty graph (found no device; accepted: devices, GPUs among them, and cables)");
        }
        cluster_.graph = *request_.graph;
        for (NodeDevice& device : cluster_.graph.devices) {
            const Part* gpu = catalog_.find(device.part);
            if (gpu != nullptr && gpu->kind == "gpu" && cluster_.node.gpus == 0) {
                cluster_.node.gpu = gpu_spec(*gpu);  // the graph contains its nodes
            }
            if (!device.part.empty() && device.latency.ps == 0) {
                const Part* const found = catalog_.find(device.part);
                const Part& part = found != nullptr ? *found : *look_up("cluster.graph.devices", [&] {
                    return &catalog_.at("switch", device.part);
                });
                device.latency = part.has("latency") ? part.duration("latency") : Duration{};
            }
        }
        for (NodeCable& cable : cluster_.graph.cables) {
            if (cable.link.rate.num > 0) {
                continue;
            }
            const Duration latency = cable.link.latency;
            const std::string name = cable.link.name.empty() ? request_.link : cable.link.name;
            if (name.empty()) {
                fail("cluster.graph.cables", "cable " + cable.a + " to " + cable.b + " has neither `link` nor `rate`");
            }
            cable.link = link("cluster.graph.cables", name);
            cable.link.latency = latency.ps > 0 ? latency : cable.link.latency;
        }
    }

    const Scenario& scenario_;
    const ClusterRequest& request_;
    const Catalog& catalog_;
    Cluster cluster_;
};

}  // namespace

Cluster build(const Scenario& scenario, const Catalog& catalog, std::uint32_t nodes) {
    return Builder(scenario, catalog, nodes).build();
}

Cluster build(const Scenario& scenario, const Catalog& catalog) {
    return build(scenario, catalog, scenario.cluster.nodes);
}

}  // namespace fabricast
