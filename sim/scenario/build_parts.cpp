#include "sim/scenario/build_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "models/link_part.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/node_links.hpp"
#include "topologies/node_reader.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline scenario {

namespace {

bool is_nic(const std::string& name) { return name.starts_with("nic"); }

// Keeps exactly these NICs and renumbers them.
void keep_nics(NodeTemplate& node, const std::vector<std::uint32_t>& stay) {
    std::map<std::string, std::string> kept;  // new name by old name
    for (const std::uint32_t nic : stay) {
        kept.emplace("nic" + std::to_string(nic), "nic" + std::to_string(kept.size()));
    }
    const auto left_out = [&](const std::string& name) { return is_nic(name) && !kept.contains(name); };
    const auto rename = [&](std::string& name) { name = is_nic(name) ? kept.at(name) : name; };
    std::erase_if(node.devices, [&](const NodeDevice& device) { return left_out(device.name); });
    std::erase_if(node.cables, [&](const NodeCable& cable) { return left_out(cable.a) || left_out(cable.b); });
    for (NodeDevice& device : node.devices) { rename(device.name); }
    for (NodeCable& cable : node.cables) {
        rename(cable.a);
        rename(cable.b);
    }
    node.nics = static_cast<std::uint32_t>(stay.size());
}

// Keeps the first `gpus` GPUs. Trays of a rack without any of them are left out, with their NICs.
void use_gpus(NodeTemplate& node, std::uint32_t gpus) {
    const Trays trays(node);
    node.gpus = gpus;
    std::vector<std::uint32_t> stay;
    for (std::uint32_t nic = 0; nic < node.nics; ++nic) {
        const auto used = trays.tray_of_gpu.begin() + gpus;
        if (trays.count == 1 || std::find(trays.tray_of_gpu.begin(), used, trays.tray_of[nic]) != used) {
            stay.push_back(nic);
        }
    }
    keep_nics(node, stay);
}

// Sets an option of a template; knows its key for errors.
struct Setter {
    const Scenario& scenario;
    const Catalog& catalog;
    NodeTemplate& node;
    const std::string& key;

    [[noreturn]] void refuse(std::string_view what, const std::string& value, std::string_view accepted,
                             std::string_view nearest = {}) const {
        fail_at(scenario, key, what, shown(value), accepted, nearest);
    }

    template <bool NodeTemplate::*flag> void set_flag(const std::string& value) const {
        if (value != "true" && value != "false") { refuse("this option is a switch", value, "true, false"); }
        node.*flag = value == "true";
    }

    void set_vendor(const std::string& value) const {
        static const std::vector<std::string> vendors = {"amd", "intel", "nvidia", "ibm"};
        if (std::ranges::find(vendors, value) == vendors.end()) {
            refuse("no such maker of CPUs", value, joined(vendors), nearest_word(value, vendors));
        }
        if (value != node.cpu_vendor) {
            node.cpu_vendor = value;
            node.cpu_family.clear();
        }
    }

    // Another GPU in the same places: more memory, less power.
    void set_gpu(const std::string& part) const {
        node.gpu = look_up_at(scenario, key, [&] { return gpu_spec(catalog.at("gpu", part)); });
    }

    // Replaces the adapters, with the new adapter's usual port.
    void set_nic(const std::string& part) const {
        const NicSpec nic = look_up_at(scenario, key, [&] { return nic_spec(catalog.at("nic", part)); });
        node.nic_part = nic.name;
        node.nic_link = nic.port_link;
        for (NodeDevice& device : node.devices) {
            if (is_nic(device.name)) {
                device.part = nic.name;
                device.latency = passing_latency(nic);
            }
        }
    }

    // The PCIe link that every GPU is on.
    void set_slot(const std::string& value) const {
        const LinkSpec slot = look_up_at(scenario, key, [&] { return link_spec(catalog.at("link", value)); });
        if (slot.family != LinkFamily::pcie) {
            refuse("this option is a link of PCIe", value, "pcie-gen4-x8 and so on");
        }
        for (NodeCable& cable : node.cables) {
            const bool at_gpu = cable.a.starts_with("gpu") || cable.b.starts_with("gpu");
            if (!at_gpu || cable.link.family != LinkFamily::pcie) { continue; }
            cable.duplex_capacity *= goodput(slot) / goodput(cable.link);
            cable.link = slot;
        }
    }

    // Fewer NICs than the template: keeps evenly spaced ones. More: each NIC gets several ports.
    void set_nics(const std::string& value) const {
        constexpr std::uint32_t most = 4096;
        const std::uint32_t nics = number_in<std::uint32_t>(value).value_or(0);
        if (nics == 0 || nics > most) {
            refuse("this option is a number of NICs", value, "1, 2, ... " + std::to_string(most));
        }
        if (node.nics == 0 || (nics > node.nics && nics % node.nics != 0)) {
            fail_at(scenario, key,
                    fmt::format("node '{}' has places for {} NICs; take fewer, or a multiple for several ports each",
                                node.name, node.nics));
        }
        if (nics >= node.nics) {
            node.nic_ports = static_cast<int>(nics / node.nics);
            return;
        }
        std::vector<std::uint32_t> stay;
        for (std::uint32_t i = 0; i < nics; ++i) { stay.push_back(i * node.nics / nics); }
        keep_nics(node, stay);
    }
};

struct Option {
    std::string_view name;
    void (Setter::*set)(const std::string& value) const;
};
constexpr std::array options = {Option{"cpu_vendor", &Setter::set_vendor},
                                Option{"gpu", &Setter::set_gpu},
                                Option{"gpu_direct", &Setter::set_flag<&NodeTemplate::gpu_direct>},
                                Option{"nic", &Setter::set_nic},
                                Option{"nics", &Setter::set_nics},
                                Option{"peer_to_peer", &Setter::set_flag<&NodeTemplate::peer_to_peer>},
                                Option{"slot", &Setter::set_slot}};

void set_option(const Setter& setter, const std::string& name, const std::string& value) {
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) {
        const std::vector<std::string> names = names_of(options, &Option::name);
        setter.refuse("node templates have no such option", name, joined(names), nearest_word(name, names));
    }
    (setter.*option->set)(value);
}

std::string gigabits(Rate rate) { return fmt::format("{} Gb/s", std::llround(rate.bytes_per_second() * 8 / 1e9)); }

std::string names_or(const std::vector<std::string>& names, const char* none) {
    return names.empty() ? none : joined(names);
}

// Refuses a link that is faster than the ports of `end`, a part of this kind. Suggests what fits either part of the
// pair: slower links for the port, faster ports for the link.
template <class Spec>
void refuse_slow_port(const Scenario& scenario, std::string_view key, const Catalog& catalog, const LinkSpec& fast,
                      const Spec& end, std::string_view kind, Spec (*spec_of)(const Part&), std::string_view where) {
    if (!(end.port_rate < fast.rate)) { return; }
    const std::string& family = catalog.at("link", fast.name).word("family");
    std::vector<std::string> slower;
    for (const Part* other : catalog.of_kind("link")) {
        if (other->word("family") == family && !(end.port_rate < link_spec(*other).rate)) {
            slower.push_back(other->name);
        }
    }
    std::vector<std::string> faster;
    for (const Part* part : catalog.of_kind(kind)) {
        const Spec spec = spec_of(*part);
        if (has_word(spec.speaks, family) && !(spec.port_rate < fast.rate)) { faster.push_back(part->name); }
    }
    fail_at(scenario, key, fmt::format("link '{}' is faster than the ports of {}", fast.name, end.name),
            gigabits(fast.rate) + " on " + gigabits(end.port_rate),
            fmt::format("on {}: {}; for {} (`{}`): {}", end.name, names_or(slower, "nothing of its family"), fast.name,
                        where, names_or(faster, "nothing in the catalogue")));
}

// The signalling rate of a lane: it distinguishes NDR200 from HDR, which are equally fast. 0: not stated.
double signalling(const Catalog& catalog, std::string_view name) {
    const Part* part = catalog.find(name);
    return part == nullptr ? 0 : part->number_or("signalling", 0);
}

// Of all switches of the link's family that are fast enough, those of the link's generation are preferred; among them
// the slowest, then the one with the most ports. What is only announced is nobody's usual switch.
SwitchSpec usual_switch(const Scenario& scenario, const Catalog& catalog, const LinkSpec& link,
                        const std::string& family) {
    SwitchSpec chosen;
    bool chosen_like = false;
    for (const Part* part : catalog.of_kind("switch")) {
        const SwitchSpec spec = switch_spec(*part);
        const bool sold = part->figure("radix").origin != Origin::announced;
        if (!sold || !has_word(spec.speaks, family) || spec.port_rate < link.rate) { continue; }
        const bool like = signalling(catalog, part->word_or("link", "")) == signalling(catalog, link.name);
        const bool better =
            spec.port_rate < chosen.port_rate || (spec.port_rate == chosen.port_rate && spec.radix > chosen.radix);
        if (chosen.name.empty() || like > chosen_like || (like == chosen_like && better)) {
            chosen = spec;
            chosen_like = like;
        }
    }
    if (chosen.name.empty()) {
        fail_at(scenario, "cluster.fabric.link",
                fmt::format("no switch in the catalogue speaks {} at the rate of '{}'; name one under `switch`", family,
                            link.name));
    }
    return chosen;
}

void refuse_other_family(const Scenario& scenario, std::string_view key, const Catalog& catalog, const LinkSpec& link,
                         const SwitchSpec& chosen) {
    const std::string& family = catalog.at("link", link.name).word("family");
    if (has_word(chosen.speaks, family)) { return; }
    fail_at(scenario, key,
            fmt::format("switch '{}' speaks {}, not {} as link '{}' does", chosen.name,
                        joined(names_of(split(chosen.speaks, ' '))), family, link.name));
}

}  // namespace

NodeTemplate node_named(const NodeRequest& request, const Catalog& catalog) {
    return request.node_parts ? read_node(*request.node_parts, catalog) : node_template(request.node, catalog);
}

NodeTemplate build_node(const Scenario& scenario, const NodeRequest& named, const SourceLocation& place,
                        const Catalog& catalog) {
    const ClusterRequest& request = scenario.cluster;
    NodeTemplate node = [&] {
        try {
            return node_named(named, catalog);
        } catch (const CatalogError& error) { throw InputError(place, error.what()); }
    }();
    if (request.gpus_per_node > node.gpus) {
        fail_at(scenario, "cluster.gpus_per_node", fmt::format("node '{}' has {} GPUs", node.name, node.gpus));
    }
    if (request.gpus_per_node > 0) { use_gpus(node, request.gpus_per_node); }
    for (const auto& [name, value] : request.node_options) {
        set_option({scenario, catalog, node, "cluster.options." + name}, name, value);
    }
    slow_to_devices(node, catalog);
    if (request.node_options.contains("gpu")) {
        look_up_at(scenario, "cluster.options.gpu", [&] { check_node_links(node, catalog); });
    }
    return node;
}

SwitchSpec switch_for(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric) {
    const std::string family = look_up_at(scenario, "cluster.fabric.link",
                                          [&] { return catalog.at("link", fabric.link.name).word("family"); });
    const std::string& name = scenario.cluster.switch_part;
    if (name.empty()) { return usual_switch(scenario, catalog, fabric.link, family); }
    SwitchSpec asked =
        look_up_at(scenario, "cluster.fabric.switch", [&] { return switch_spec(catalog.at("switch", name)); });
    refuse_other_family(scenario, "cluster.fabric.switch", catalog, fabric.link, asked);
    return asked;
}

void refuse_slow_ports(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric, const NicSpec& nic) {
    refuse_slow_port(scenario, "cluster.fabric.link", catalog, fabric.link, nic, "nic", nic_spec,
                     "options: {nic: ...}");
}

void refuse_slow_ports(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric,
                       const SwitchSpec& chosen) {
    refuse_other_family(scenario, "cluster.fabric.trunk", catalog, fabric.trunk, chosen);
    for (const auto& [key, link] :
         {std::pair{"cluster.fabric.link", &fabric.link}, std::pair{"cluster.fabric.trunk", &fabric.trunk}}) {
        refuse_slow_port(scenario, key, catalog, *link, chosen, "switch", switch_spec, "switch: ...");
    }
}

}  // namespace fabricast::inline scenario
