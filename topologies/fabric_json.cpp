#include "topologies/fabric_json.hpp"

#include "topologies/bill.hpp"
#include "topologies/bisection.hpp"
#include "topologies/bought.hpp"

namespace fabricast::inline topologies {

namespace {

DeviceId device_of(const Fabric& fabric, const std::string& name) {
    return name.find(".port") == std::string::npos ? fabric.device(name) : find_port(fabric, name).device;
}

}  // namespace

std::map<LinkKind, std::uint64_t> count_links(const Fabric& fabric) {
    std::map<LinkKind, std::uint64_t> counts;
    const auto add = [&](std::uint32_t l, std::uint64_t times) {
        const LinkInfo info = fabric.link(LinkId{l});
        counts[{info.cls, info.capacity, info.latency, fabric.ends(LinkId{l}).resource}] += times;
    };
    for (std::uint32_t l = 0; l < fabric.node_link_count(); ++l) {
        add(l, fabric.cluster().nodes);  // all nodes are the same
    }
    for (std::uint32_t l = fabric.first_trunk(); l < fabric.link_count(); ++l) { add(l, 1); }
    return counts;
}

Path path_between(const Fabric& fabric, const std::string& from, const std::string& to, PathKind kind) {
    PathQuery query;
    query.src = device_of(fabric, from);
    query.dst = device_of(fabric, to);
    query.kind = kind;
    return fabric.path(query);
}

Json fabric_json(const Fabric& fabric) {
    const NodeTemplate& node = fabric.node();
    Json json = {{"name", fabric.cluster().name},
                 {"nodes", fabric.cluster().nodes},
                 {"gpus", fabric.whole().gpu_count()},
                 {"node",
                  {{"name", node.name},
                   {"gpu", node.gpu.name},
                   {"gpus", fabric.gpus_per_node()},
                   {"nic", node.nic_part},
                   {"nics", fabric.nics_per_node()}}},
                 {"fabric", to_string(fabric.cluster().fabric.kind)},
                 {"bisection_Bps", bisection_bandwidth(fabric)},
                 {"tiers", Json::array()},
                 {"links", Json::array()}};
    for (const FabricTier& tier : fabric.tiers()) {
        json["tiers"].push_back({{"tier", tier.name}, {"switches", tier.switches}, {"cables", tier.cables}});
    }
    for (const auto& [kind, count] : count_links(fabric)) {
        json["links"].push_back({{"class", to_string(kind.cls)},
                                 {"count", count},
                                 {"payload_Bps", kind.capacity},
                                 {"latency_s", to_seconds(kind.latency)},
                                 {"both_directions", kind.resource}});
    }
    return json;
}

Json path_json(const Fabric& fabric, const std::string& from, const std::string& to, PathKind kind) {
    const Path path = path_between(fabric, from, to, kind);
    Json json = {{"from", from}, {"to", to}, {"latency_s", to_seconds(path.latency)}, {"links", Json::array()}};
    for (const LinkId link : path.span()) {
        const LinkInfo info = fabric.link(link);
        json["links"].push_back({{"link", fabric.link_name(link)},
                                 {"payload_Bps", info.capacity},
                                 {"latency_s", to_seconds(info.latency)}});
    }
    return json;
}

}  // namespace fabricast::inline topologies
