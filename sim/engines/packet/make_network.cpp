#include "sim/engines/packet/make_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

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
    Builder(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries)
        : fabric_(task.fabric), options_(options), queries_(queries), ways_(find_ways(task, options, queries)) {
        net_.rates_change = !task.events.empty();
        parent_.resize(fabric_.device_count());
        std::iota(parent_.begin(), parent_.end(), 0U);
    }

    Network build(std::size_t first_request, std::vector<Route>& routes) {
        net_.epochs = std::move(ways_.epochs);
        join_devices();
        make_ports();
        for (std::size_t query = 0; query < queries_.size(); ++query) {
            const bool request = query >= first_request;
            routes.push_back(make_route(queries_[query], ways_.begin_of(query), ways_.variants_end[query], request));
        }
        for (const auto& [query, way] : ways_.detours) {
            net_.first_detour.resize(query + 1UL, static_cast<std::uint32_t>(net_.detours.size()));
            net_.detours.push_back(make_route(queries_[query], way, way + 1, false));
        }
        net_.first_detour.resize(queries_.size() + 1, static_cast<std::uint32_t>(net_.detours.size()));
        return std::move(net_);
    }

private:
    std::uint32_t find(std::uint32_t device) {
        while (parent_[device] != device) { device = parent_[device] = parent_[parent_[device]]; }
        return device;
    }

    struct Used {
        LinkId link;
        LinkInfo info;
        LinkEnds ends;
        std::uint32_t from = none, to = none;  // of a cable: devices that stand for those joined to its ends
        std::uint32_t port = none;             // of its first lane

        bool is_cable() const { return info.latency.ps >= no_latency && !ends.resource; }
    };
    const Used& used(LinkId link) const { return used_[number_of_[index(link)]]; }

    // Links are found by their number, since every flow asks for all of its own.
    void join_devices() {
        constexpr std::uint32_t seen = 0;
        number_of_.assign(fabric_.link_count(), none);
        for (const LinkId link : ways_.links) { number_of_[index(link)] = seen; }
        for (std::uint32_t i = 0; i < number_of_.size(); ++i) {
            if (number_of_[i] == none) { continue; }
            number_of_[i] = static_cast<std::uint32_t>(used_.size());
            const LinkId link{i};
            const Used& used = used_.emplace_back(Used{link, fabric_.link(link), fabric_.ends(link)});
            if (!used.ends.resource && !used.is_cable()) {
                parent_[find(index(used.ends.to))] = find(index(used.ends.from));
            }
        }
    }

    void add_port(std::uint32_t p, const Used& cable) {
        Port& port = net_.ports[p];
        port.latency = on_clock(cable.info.latency);
        port.inverse = inverse_of(cable.info.capacity);
        port.from_node = node_of(cable.from);
        port.to_node = node_of(cable.to);
        Node& node = net_.nodes[port.from_node];
        if (node.port_count == 0) { node.first_port = p; }
        ++node.port_count;
        net_.links.push_back(cable.link);
        net_.window = std::min(net_.window, port.latency);
    }

    void make_ports() {
        std::vector<Used*> cables;
        std::vector<std::uint32_t> devices;
        for (Used& used : used_) {
            if (used.is_cable()) {
                used.from = find(index(used.ends.from));
                used.to = find(index(used.ends.to));
                cables.push_back(&used);
                devices.insert(devices.end(), {used.from, used.to});
                net_.port_count += lane_count(options_, used.info.cls);
            }
        }
        std::ranges::sort(devices);
        devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
        for (const std::uint32_t device : devices) { add_node(device); }
        std::ranges::stable_sort(cables, {}, [](const Used* cable) { return cable->from; });
        net_.ports = std::make_unique<Port[]>(net_.port_count);
        net_.ingress.resize(net_.port_count);
        net_.counts.resize(net_.port_count);
        std::uint32_t p = 0;
        for (Used* const cable : cables) {
            cable->port = p;
            const std::uint8_t lanes = lane_count(options_, cable->info.cls);
            for (std::uint8_t lane = 0; lane < lanes; ++lane) {
                add_port(p + lane, *cable);
                net_.ports[p + lane].lanes = lanes;
                net_.counts[p + lane].lane = lane;
            }
            p += lanes;
        }
        join_directions();
        list_ingress_ports();
    }

    // The i-th link from one node to another and the i-th one back are the two directions of a cable.
    void join_directions() {
        const auto number = [&](std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32U | to; };
        std::vector<std::pair<std::uint64_t, std::uint32_t>> links;  // between which nodes, and the first port
        for (std::uint32_t p = 0; p < net_.port_count; p += net_.ports[p].lanes) {
            links.emplace_back(number(net_.ports[p].from_node, net_.ports[p].to_node), p);
        }
        std::ranges::sort(links);
        std::uint64_t between = number(none, none);
        auto back = links.begin();
        for (const auto& [key, first] : links) {
            const std::uint64_t reverse = key << 32U | key >> 32U;
            if (std::exchange(between, key) != key) {
                back = std::ranges::lower_bound(links, std::pair{reverse, std::uint32_t{0}});
            }
            if (back == links.end() || back->first != reverse) { continue; }
            for (std::uint32_t lane = 0; lane < net_.ports[first].lanes; ++lane) {
                net_.ingress[first + lane].reverse = back->second;
            }
            ++back;
        }
    }

    void list_ingress_ports() {
        for (std::uint32_t p = 0; p < net_.port_count; ++p) { ++net_.nodes[net_.ports[p].to_node].ingress_count; }
        std::uint32_t sum = 0;
        for (Node& node : net_.nodes) { node.first_ingress = std::exchange(sum, sum + node.ingress_count); }
        net_.ingress_ports.resize(sum + Network::read_ahead);
        std::vector<std::uint32_t> listed(net_.nodes.size(), 0);
        for (std::uint32_t p = 0; p < net_.port_count; ++p) {
            const std::uint32_t n = net_.ports[p].to_node;
            net_.ingress_ports[net_.nodes[n].first_ingress + listed[n]++] = p;
        }
    }

    void add_node(std::uint32_t device) {
        Node node;
        node.device = DeviceId{device};
        const DeviceKind kind = fabric_.kind(node.device);
        node.is_switch = kind == DeviceKind::fabric_switch;
        node.network = kind == DeviceKind::fabric_switch || kind == DeviceKind::nic;
        node.buffer = (kind == DeviceKind::nic ? options_.nic_buffer : options_.switch_buffer()).count;
        net_.nodes.push_back(node);
        net_.island.push_back(kind == DeviceKind::fabric_switch ? fabric_.node_count() + device
                                                                : fabric_.node_of(node.device));
    }

    // Services, and cables without latency, belong to the hop by which the packet leaves their node, whether they come
    // before or after that hop's own cable on the path.
    Route make_route(const PathQuery& query, std::uint32_t begin, std::uint32_t end, bool request) {
        Route route{static_cast<std::uint32_t>(net_.hops.size()), 0, static_cast<std::uint8_t>(end - begin)};
        for (std::uint32_t w = begin; w < end; ++w) {
            const std::size_t first = net_.hops.size();
            extra_.clear();
            const std::span<const LinkId> path = ways_.links_of(w);
            const std::vector<std::uint8_t> lanes = lanes_along(fabric_, options_, query, path, request);
            for (std::size_t i = 0; i < path.size(); ++i) {
                if (const Used& link = used(path[i]); link.is_cable()) {
                    net_.hops.push_back(link.port + lanes[i]);
                } else {
                    extra_.emplace_back(net_.hops.size(), path[i]);
                }
            }
            route.hops = static_cast<std::uint8_t>(net_.hops.size() - first);
            for (std::size_t at = first; at < net_.hops.size(); ++at) { add_services(at); }
        }
        return route;
    }

    void add_services(std::size_t at) {
        const std::uint32_t sender = net_.ports[net_.hops[at]].from_node;
        for (const auto& [before, link] : extra_) {
            if ((before != at && before != at + 1) || owner_of(link) != sender) { continue; }
            if (net_.services_end.empty()) { net_.services_end.assign(at, 0); }
            net_.nodes[sender].serves = true;
            net_.services_of.push_back(service_of(link));
        }
        if (!net_.services_end.empty()) {
            net_.services_end.push_back(static_cast<std::uint32_t>(net_.services_of.size()));
        }
    }

    // The node whose packets wait for the service; for a service of a cable, the end at the host bridge.
    std::uint32_t owner_of(LinkId link) {
        const LinkEnds& ends = used(link).ends;
        const bool to_bridge = ends.resource && fabric_.kind(ends.to) == DeviceKind::cpu;
        return node_of(find(index(to_bridge ? ends.to : ends.from)));
    }

    // The node that these devices are joined to; none if no cable ends at it.
    std::uint32_t node_of(std::uint32_t joined) const {
        const auto found = std::ranges::lower_bound(net_.nodes, DeviceId{joined}, {}, &Node::device);
        return found != net_.nodes.end() && found->device == DeviceId{joined}
                   ? static_cast<std::uint32_t>(found - net_.nodes.begin())
                   : none;
    }

    std::uint32_t service_of(LinkId link) {
        const auto [known, fresh] = service_of_.try_emplace(link, static_cast<std::uint32_t>(net_.services.size()));
        if (fresh) { net_.services.push_back({0, inverse_of(used(link).info.capacity)}); }
        return known->second;
    }

    const Fabric& fabric_;
    const Packet& options_;
    const std::vector<PathQuery>& queries_;
    Routes ways_;
    std::vector<std::uint32_t> parent_;
    std::vector<Used> used_;                // in order of their links
    std::vector<std::uint32_t> number_of_;  // of each link in `used_`
    std::map<LinkId, std::uint32_t> service_of_;
    std::vector<std::pair<std::size_t, LinkId>>
        extra_;  // of the way being made: links without a port, and the hop after
    Network net_;
};

}  // namespace

Network make_network(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries,
                     std::size_t first_request, std::vector<Route>& routes) {
    return Builder(task, options, queries).build(first_request, routes);
}

}  // namespace fabricast::inline packet
