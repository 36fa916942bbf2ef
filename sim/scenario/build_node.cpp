#include "sim/scenario/build_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "base/nearest_word.hpp"
#include "models/device_part.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/node_links.hpp"
#include "topologies/node_reader.hpp"
#include "topologies/trays.hpp"

namespace fabricast {

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
    for (NodeDevice& device : node.devices) {
        rename(device.name);
    }
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

// Sets options of a template; each knows its key for errors.
struct Options {
    const Scenario& scenario;
    const Catalog& catalog;
    NodeTemplate& node;

    void set_flag(bool& flag, const std::string& key, const std::string& value) const {
        if (value != "true" && value != "false") {
            fail_at(scenario, key, error_message("this option is a switch", shown(value), "true, false"));
        }
        flag = value == "true";
    }

    void set_vendor(const std::string& key, const std::string& value) const {
        static const std::vector<std::string> vendors = {"amd", "intel", "nvidia", "ibm"};
        if (std::ranges::find(vendors, value) == vendors.end()) {
            fail_at(
                scenario, key,
                error_message("no such maker of CPUs", shown(value), joined(vendors), nearest_word(value, vendors)));
        }
        if (value != node.cpu_vendor) {
            node.cpu_vendor = value;
            node.cpu_family.clear();
        }
    }

    // Another GPU in the same places: more memory, less power.
    void set_gpu(const std::string& key, const std::string& part) const {
        node.gpu = look_up_at(scenario, key, [&] { return gpu_spec(catalog.at("gpu", part)); });
    }

    // Replaces the adapters, with the new adapter's usual port.
    void set_nic(const std::string& key, const std::string& part) const {
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
    void set_nics(const std::string& key, const std::string& value) const {
        std::uint32_t nics = 0;
        const char* end = value.data() + value.size();
        if (std::from_chars(value.data(), end, nics).ptr != end || value.empty() || nics == 0) {
            fail_at(scenario, key, error_message("this option is a number of NICs", shown(value), "1, 2, ..."));
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
        for (std::uint32_t i = 0; i < nics; ++i) {
            stay.push_back(i * node.nics / nics);
        }
        keep_nics(node, stay);
    }

    void apply(const std::string& key, const std::string& name, const std::string& value) const {
        static const std::vector<std::string> options = {"cpu_vendor", "gpu",  "gpu_direct",
                                                         "nic",        "nics", "peer_to_peer"};
        if (name == "peer_to_peer") {
            set_flag(node.peer_to_peer, key, value);
        } else if (name == "gpu_direct") {
            set_flag(node.gpu_direct, key, value);
        } else if (name == "cpu_vendor") {
            set_vendor(key, value);
        } else if (name == "gpu") {
            set_gpu(key, value);
        } else if (name == "nic") {
            set_nic(key, value);
        } else if (name == "nics") {
            set_nics(key, value);
        } else {
            fail_at(scenario, key,
                    error_message("node templates have no such option", shown(name), joined(options),
                                  nearest_word(name, options)));
        }
    }
};

}  // namespace

NodeTemplate build_node(const Scenario& scenario, const Catalog& catalog) {
    const ClusterRequest& request = scenario.cluster;
    NodeTemplate node = look_up_at(scenario, "cluster.node", [&] { return node_template(request.node, catalog); });
    if (request.gpus_per_node > node.gpus) {
        fail_at(scenario, "cluster.gpus_per_node", fmt::format("node '{}' has {} GPUs", node.name, node.gpus));
    }
    if (request.gpus_per_node > 0) {
        use_gpus(node, request.gpus_per_node);
    }
    for (const auto& [name, value] : request.node_options) {
        Options{scenario, catalog, node}.apply("cluster.options." + name, name, value);
    }
    slow_to_devices(node, catalog);
    if (request.node_options.contains("gpu")) {
        look_up_at(scenario, "cluster.options.gpu", [&] { check_node_links(node, catalog); });
    }
    return node;
}

}  // namespace fabricast
