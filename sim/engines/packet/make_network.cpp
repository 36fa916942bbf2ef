#include "sim/engines/packet/make_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/engines/packet/policies.hpp"
#include "sim/engines/packet/routes.hpp"

namespace fabricast::inline packet {

namespace {

constexpr Ps no_latency = 1000;  // ps; links with less join their ends into one node

// Bytes per second. A packet's time on the wire is a product that must fit in 64 bits.
constexpr double slowest = 1e6 / 8;

std::uint64_t inverse_of(double capacity) {
    if (capacity > 0 && capacity < slowest) {
        throw OutOfRange("a link of less than 1 Mb/s, the slowest that engine packet takes");
    }
    return capacity > 0 ? static_cast<std::uint64_t>(std::llround(1e12 / capacity * (1 << 24))) : 0;
}

class Builder {
public:
    Builder(const Fabric& fabric, const Packet& options) : fabric_(fabric), options_(options), lanes_(fabric, options) {
        parent_.resize(fabric.device_count());
        std::iota(parent_.begin(), parent_.end(), 0U);
    }

    Network build(const std::vector<PathQuery>& queries, std::size_t first_request,
                  const std::vector<LinkEvent>& events, std::vector<Route>& routes) {
        ways_ = find_ways(fabric_, options_, queries, events);
        net_.epochs = std::move(ways_.epochs);
        join_devices();
        make_ports();
        for (std::size_t query = 0; query < queries.size(); ++query) {
            request_ = query >= first_request;
            routes.push_back(make_route(queries[query], ways_.begin_of(query), ways_.variants_end[query]));
        }
        request_ = false;
        for (const auto& [query, way] : ways_.detours) {
            net_.first_detour.resize(query + 1UL, static_cast<std::uint32_t>(net_.detours.size()));
            net_.detours.push_back(make_route(queries[query], way, way + 1));
        }
        net_.first_detour.resize(queries.size() + 1, static_cast<std::uint32_t>(net_.detours.size()));
        set_policies(net_, fabric_, options_, lanes_);
        return std::move(net_);
    }

private:
    std::uint32_t find(std::uint32_t device) {
        while (parent_[device] != device) { device = parent_[device] = parent_[parent_[device]]; }
        return device;
    }

    bool is_cable(LinkId link) const { return info(link).latency.ps >= no_latency && !ends(link).resource; }
    const LinkInfo& info(LinkId link) const { return facts_[place(link)].info; }
    const LinkEnds& ends(LinkId link) const { return facts_[place(link)].ends; }
    std::size_t place(LinkId link) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(used_, link) - used_.begin());
    }

    void join_devices() {
        used_ = ways_.links;
        std::ranges::sort(used_);
        used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
        for (const LinkId link : used_) {
            facts_.push_back({fabric_.link(link), fabric_.ends(link)});
            const Facts& facts = facts_.back();
            if (!facts.ends.resource && facts.info.latency.ps < no_latency) {
                parent_[find(index(facts.ends.to))] = find(index(facts.ends.from));
            }
        }
    }

    struct Cable {
        std::uint32_t from, to;
        LinkId link;
    };

    void add_port(std::uint32_t p, const Cable& cable) {
        Port& port = net_.ports[p];
        const LinkInfo& facts = info(cable.link);
        port.latency = on_clock(facts.latency);
        port.inverse = inverse_of(facts.capacity);
        port.from_node = cable.from;
        port.to_node = cable.to;
        Node& node = net_.nodes[port.from_node];
        if (node.port_count == 0) { node.first_port = p; }
        port.slot = static_cast<std::uint16_t>(node.port_count++);
        net_.links.push_back(cable.link);
        net_.window = std::min(net_.window, port.latency);
    }

    void make_ports() {
        std::vector<Cable> cables;
        std::vector<std::uint32_t> devices;
        for (const LinkId link : used_) {
            if (is_cable(link)) {
                cables.push_back({find(index(ends(link).from)), find(index(ends(link).to)), link});
                devices.push_back(cables.back().from);
                devices.push_back(cables.back().to);
            }
        }
        std::ranges::sort(devices);
        devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
        const auto node_of = [&](std::uint32_t device) {
            return static_cast<std::uint32_t>(std::ranges::lower_bound(devices, device) - devices.begin());
        };
        for (const std::uint32_t device : devices) { add_node(device); }
        std::ranges::stable_sort(cables, {}, &Cable::from);
        for (const Cable& cable : cables) { net_.port_count += lanes_.count(info(cable.link).cls); }
        net_.ports = std::make_unique<Port[]>(net_.port_count);
        net_.ingress.resize(net_.port_count);
        net_.counts.resize(net_.port_count);
        port_of_.assign(used_.size(), none);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> between;
        std::uint32_t p = 0;
        for (const Cable& cable : cables) {
            port_of_[place(cable.link)] = p;
            const std::uint8_t lanes = lanes_.count(info(cable.link).cls);
            for (std::uint8_t lane = 0; lane < lanes; ++lane) {
                add_port(p + lane, {node_of(cable.from), node_of(cable.to), cable.link});
                net_.ports[p + lane].lanes = lanes;
                net_.counts[p + lane].lane = lane;
            }
            between[{net_.ports[p].from_node, net_.ports[p].to_node}].push_back(p);
            p += lanes;
        }
        for (const auto& [pair, ports] : between) {
            const auto back = between.find({pair.second, pair.first});
            for (std::size_t i = 0; back != between.end() && i < std::min(ports.size(), back->second.size()); ++i) {
                for (std::uint32_t lane = 0; lane < net_.ports[ports[i]].lanes; ++lane) {
                    net_.ports[ports[i] + lane].reverse = back->second[i];
                }
            }
        }
        std::vector<std::vector<std::uint32_t>> into(net_.nodes.size());
        for (std::uint32_t p = 0; p < net_.port_count; ++p) { into[net_.ports[p].to_node].push_back(p); }
        for (std::size_t n = 0; n < into.size(); ++n) {
            net_.nodes[n].first_ingress = static_cast<std::uint32_t>(net_.ingress_ports.size());
            net_.nodes[n].ingress_count = static_cast<std::uint32_t>(into[n].size());
            net_.ingress_ports.insert(net_.ingress_ports.end(), into[n].begin(), into[n].end());
        }
    }

    void add_node(std::uint32_t device) {
        Node node;
        node.device = DeviceId{device};
        const DeviceKind kind = fabric_.kind(node.device);
        node.is_switch = kind == DeviceKind::fabric_switch;
        node.network = kind == DeviceKind::fabric_switch || kind == DeviceKind::nic;
        const Bytes shared = options_.buffer.count > 0 ? options_.buffer : Bytes{64'000'000};
        node.buffer = kind == DeviceKind::nic ? options_.nic_buffer.count : shared.count;
        net_.nodes.push_back(node);
        net_.island.push_back(kind == DeviceKind::fabric_switch ? fabric_.node_count() + device
                                                                : fabric_.node_of(node.device));
    }

    // Services, and cables without latency, belong to the hop by which the packet leaves their node, whether they come
    // before or after that hop's own cable on the path.
    Route make_route(const PathQuery& query, std::uint32_t begin, std::uint32_t end) {
        Route route{static_cast<std::uint32_t>(net_.hops.size()), 0, static_cast<std::uint8_t>(end - begin)};
        for (std::uint32_t w = begin; w < end; ++w) {
            std::vector<std::uint32_t> ports;
            std::vector<std::vector<LinkId>> extra(1);
            const std::span<const LinkId> path = ways_.of(ways_.ways[w]);
            const std::vector<std::uint8_t> lanes = lanes_.along(query, path, request_);
            for (std::size_t i = 0; i < path.size(); ++i) {
                if (is_cable(path[i])) {
                    ports.push_back(port_of_[place(path[i])] + lanes[i]);
                    extra.emplace_back();
                } else {
                    extra.back().push_back(path[i]);
                }
            }
            route.hops = static_cast<std::uint8_t>(ports.size());
            for (std::size_t hop = 0; hop < ports.size(); ++hop) {
                net_.hops.push_back(ports[hop]);
                add_services(hop, ports, extra);
            }
        }
        return route;
    }

    void add_services(std::size_t hop, const std::vector<std::uint32_t>& ports,
                      const std::vector<std::vector<LinkId>>& extra) {
        const std::uint32_t sender = net_.ports[ports[hop]].from_node;
        std::vector<std::uint32_t> mine;
        const auto take = [&](const std::vector<LinkId>& links) {
            for (const LinkId link : links) {
                if (owner_of(link) == sender) { mine.push_back(service_of(link)); }
            }
        };
        take(extra[hop]);
        take(extra[hop + 1]);
        if (!mine.empty() && net_.services_end.empty()) { net_.services_end.assign(net_.hops.size() - 1, 0); }
        if (!mine.empty()) {
            net_.nodes[sender].serves = true;
            net_.services_of.insert(net_.services_of.end(), mine.begin(), mine.end());
        }
        if (!net_.services_end.empty()) {
            net_.services_end.push_back(static_cast<std::uint32_t>(net_.services_of.size()));
        }
    }

    // The node whose packets wait for the service; for a service of a cable, the end at the host bridge.
    std::uint32_t owner_of(LinkId link) {
        const LinkEnds& joined = ends(link);
        const bool to_bridge = joined.resource && fabric_.kind(joined.to) == DeviceKind::cpu;
        const DeviceId device{find(index(to_bridge ? joined.to : joined.from))};
        const auto found = std::ranges::lower_bound(net_.nodes, device, {}, &Node::device);
        return found != net_.nodes.end() && found->device == device
                   ? static_cast<std::uint32_t>(found - net_.nodes.begin())
                   : none;
    }

    std::uint32_t service_of(LinkId link) {
        const auto [known, fresh] = service_of_.try_emplace(link, static_cast<std::uint32_t>(net_.services.size()));
        if (fresh) { net_.services.push_back({0, inverse_of(info(link).capacity)}); }
        return known->second;
    }

    struct Facts {
        LinkInfo info;
        LinkEnds ends;
    };

    const Fabric& fabric_;
    const Packet& options_;
    Lanes lanes_;
    Routes ways_;
    bool request_ = false;
    std::vector<std::uint32_t> parent_;
    std::vector<LinkId> used_;
    std::vector<Facts> facts_;
    std::vector<std::uint32_t> port_of_;
    std::map<LinkId, std::uint32_t> service_of_;
    Network net_;
};

}  // namespace

Network make_network(const Fabric& fabric, const Packet& options, const std::vector<PathQuery>& queries,
                     std::size_t first_request, const std::vector<LinkEvent>& events, std::vector<Route>& routes) {
    return Builder(fabric, options).build(queries, first_request, events, routes);
}

}  // namespace fabricast::inline packet
