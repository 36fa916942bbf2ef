#include "sim/scenario/build_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/text.hpp"
#include "models/device_part.hpp"
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
                                Option{"peer_to_peer", &Setter::set_flag<&NodeTemplate::peer_to_peer>}};

void set_option(const Setter& setter, const std::string& name, const std::string& value) {
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) {
        const std::vector<std::string> names = names_of(options, &Option::name);
        setter.refuse("node templates have no such option", name, joined(names), nearest_word(name, names));
    }
    (setter.*option->set)(value);
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

}  // namespace fabricast::inline scenario
