// Devices and links by name, both ways.
#include <algorithm>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "topologies/fabric.hpp"
#include "topologies/fabric_tables.hpp"

namespace fabricast {

std::string Fabric::device_name(DeviceId device) const {
    const Tables& t = *tables_;
    if (t.is_switch(device)) {
        return t.visit([&](const auto& s) { return s.switch_name(index(device) - t.first_switch); });
    }
    return "node" + std::to_string(t.node_of(device)) + "." + t.graph.devices[t.local(device)].name;
}

DeviceId Fabric::device(std::string_view name) const {
    const Tables& t = *tables_;
    const std::size_t dot = std::min(name.find('.'), name.size());
    const auto node = number_after(name.substr(0, dot), "node");
    const bool known_node = node && *node < t.cluster.nodes;
    if (known_node && dot < name.size()) {
        if (const auto local = t.graph.device(name.substr(dot + 1))) {
            return DeviceId{*node * t.devices + *local};
        }
    }
    if (const auto found = t.visit([&](const auto& s) { return s.find_switch(name); })) {
        return DeviceId{t.first_switch + *found};
    }
    std::vector<std::string> names;  // that may have been meant
    const std::uint32_t meant = known_node ? *node : t.cluster.nodes - 1;
    for (std::uint32_t d = 0; d < t.devices; ++d) {
        names.push_back(device_name(DeviceId{meant * t.devices + d}));
    }
    for (std::uint32_t d = t.first_switch; d < device_count() && d < t.first_switch + 1000; ++d) {
        names.push_back(device_name(DeviceId{d}));
    }
    const std::string near = nearest_word(name, names);
    throw ClusterError(
        "no device '" + std::string(name) + "' in cluster '" + t.cluster.name + "'" +
        (near.empty() ? "; devices are called node0.gpu0, node0.nic0, leaf0" : "; did you mean '" + near + "'?"));
}

std::string Fabric::link_name(LinkId id) const {
    const LinkEnds joined = ends(id);
    if (joined.resource) {
        const std::string both = joined.from == joined.to ? "" : " <-> " + device_name(joined.to);
        return device_name(joined.from) + both + " (shared)";
    }
    const std::string bundle = joined.cables > 1 ? " (x" + std::to_string(joined.cables) + ")" : "";
    return device_name(joined.from) + " -> " + device_name(joined.to) + bundle;
}

}  // namespace fabricast
