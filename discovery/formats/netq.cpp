// NVIDIA's fabric tools as JSON: NetQ's topology graph, and its list of compute nodes; UFM's links (REST
// resources/links).

#include "base/json.hpp"
#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

std::string string_in(const Json& object, const std::string& key) {
    if (!object.is_object() || !object.contains(key)) { return {}; }
    return object[key].is_string() ? object[key].get<std::string>() : object[key].is_null() ? "" : object[key].dump();
}

const Json& list_in(const Json& object, const char* key) {
    static const Json none = Json::array();
    return object.is_object() && object.contains(key) && object[key].is_array() ? object[key] : none;
}

// The objects of a file: those of its list, or it alone.
Json objects_of(const SourceText& source) {
    const Json root = parse_json(source.text(), source.file());
    return root.is_array() ? root : Json::array({root});
}

void read_nodes(const Json& nodes, WiredDevices& wired, const SourceLocation& at) {
    for (const Json& node : nodes) {
        read_nodes(list_in(node, "compounded_nodes"), wired, at);
        if (const std::string type = string_in(node, "device_type"); !type.empty()) {
            wired.state(string_in(node, "id"), type, at);
        }
    }
}

void read_links(const Json& links, WiredDevices& wired, const SourceLocation& at) {
    for (const Json& link : links) {
        const Json& parts = list_in(link, "compounded_links");
        if (!parts.empty()) {
            read_links(parts, wired, at);
            continue;
        }
        const Json& ends = list_in(link, "interfaces");
        if (ends.size() != 2) { refuse(at, "a link with other than two interfaces", string_in(link, "id"), "two"); }
        wired.add({string_in(ends[0], "node"), string_in(ends[0], "interface")},
                  {string_in(ends[1], "node"), string_in(ends[1], "interface")}, 0, at);
    }
}

Observations read_netq(const SourceText& source) {
    WiredDevices wired;
    std::vector<NodeSeen> nodes;
    for (const Json& part : objects_of(source)) {
        read_nodes(list_in(part, "nodes"), wired, source.at(1));
        read_links(list_in(part, "links"), wired, source.at(1));
        // Compute nodes of an NVLink rack, with how many GPUs each has.
        if (part.is_object() && part.contains("GpuIDList")) {
            NodeSeen& node = nodes.emplace_back();
            node.host = host_name(string_in(part, "Name"));
            node.at = source.at(1);
            add_counted(node.gpus, list_in(part, "GpuIDList").size(), source.at(1));
        }
    }
    Observations found = wired.finish();
    found.nodes = std::move(nodes);
    return found;
}

// One end of a row of UFM: guid, description, port.
CableEnd ufm_end(const Json& row, const std::string& side, InfinibandFabric& fabric, const SourceLocation& at) {
    std::string description = string_in(row, side + "_port_node_description");
    const bool host = InfinibandFabric::names_host(description);
    if (!host) { description = description.substr(0, description.rfind(':')); }  // "switch:15"
    DeviceSeen device{normal_guid(string_in(row, side + "_guid")), host ? Role::host : Role::fabric_switch, at};
    if (device.key.empty()) { device.key = switch_name(description); }
    if (device.key.empty()) { refuse(at, "a link without " + side + "_guid", row.dump().substr(0, 60), "UFM's links"); }
    return {fabric.add(std::move(device), description), string_in(row, side + "_port")};
}

Observations read_ufm(const SourceText& source) {
    InfinibandFabric fabric;
    for (const Json& row : objects_of(source)) {
        const CableEnd from = ufm_end(row, "source", fabric, source.at(1));
        const CableEnd to = ufm_end(row, "destination", fabric, source.at(1));
        const std::string width = string_in(row, "width");
        fabric.add_cable(from, to, (width.empty() ? "4x" : width) + string_in(row, "speed"), source.at(1));
    }
    return fabric.finish();
}

bool is_json(const SourceText& source) { return source.begins_with('[') || source.begins_with('{'); }

bool fits_netq(const SourceText& source) {
    return is_json(source) && (source.holds("\"compounded_links\"") || source.holds("\"GpuIDList\""));
}

bool fits_ufm(const SourceText& source) {
    return is_json(source) && source.holds("\"source_guid\"") && source.holds("\"destination_guid\"");
}

}  // namespace

extern const SiteFormat netq{"netq", "NetQ's topology graph and compute nodes, as JSON", fits_netq, read_netq};
extern const SiteFormat ufm_links{"ufm-links", "UFM's `resources/links`, as JSON", fits_ufm, read_ufm};

}  // namespace fabricast::inline discovery::formats
