#include "sim/engines/packet/rank_limits.hpp"

// Which replays ranks can share: those in which no node writes what another rank's node reads, but for what goes over
// links and in control messages.

#include <algorithm>

#include "base/hash.hpp"

namespace fabricast::inline packet {

namespace {

// Whether all ways of a flow begin at one rank's node and end behind one rank's node, which keep what is known of it.
bool ends_at_one_rank(const Shared& shared, const Route& route) {
    const auto rank_from = [&](std::uint32_t p) { return shared.domain_of(shared.net.ports[p].from_node); };
    const auto first = shared.net.ports_of(route);
    for (std::uint32_t way = 1; way < route.variants; ++way) {
        const auto ports = shared.net.ports_of(route, way);
        if (rank_from(ports.front()) != rank_from(first.front()) ||
            rank_from(ports.back()) != rank_from(first.back())) {
            return false;
        }
    }
    return true;
}

// A link between ranks with credits that both ends return: what ends behind it is sunk by its sender's node, what goes
// on by its receiver's.
bool has_two_writers(const Shared& shared) {
    std::vector<bool> ends(shared.net.port_count, false), goes_on(shared.net.port_count, false);
    for (const Route& route : shared.traffic.route_patterns) {
        for (std::uint32_t way = 0; way < route.variants && route.hops > 0; ++way) {
            const auto ports = shared.net.ports_of(route, way);
            ends[ports.back()] = true;
            for (const std::uint32_t p : ports.first(ports.size() - 1)) { goes_on[p] = true; }
        }
    }
    for (std::uint32_t p = 0; p < shared.net.port_count; ++p) {
        const Port& port = shared.net.ports[p];
        const bool crosses = shared.domain_of(port.from_node) != shared.domain_of(port.to_node);
        if (crosses && port.control == Control::credits && ends[p] && goes_on[p]) { return true; }
    }
    return false;
}

// Services that are used by nodes of several ranks.
bool shares_services(const Shared& shared) {
    const Network& net = shared.net;
    std::vector<std::uint32_t> rank_of(net.services.size(), none);
    for (const Route& route : shared.traffic.route_patterns) {
        for (std::uint32_t way = 0; way < route.variants; ++way) {
            const auto ports = net.ports_of(route, way);
            for (std::uint32_t hop = 0; hop < ports.size(); ++hop) {
                const std::uint32_t rank = shared.domain_of(net.ports[ports[hop]].from_node);
                for (const std::uint32_t s : net.services_at(route, way, hop)) {
                    if (rank_of[s] != none && rank_of[s] != rank) { return true; }
                    rank_of[s] = rank;
                }
            }
        }
    }
    return false;
}

// Of a reader, the device that asks and the memory that answers.
bool reads_across(const Shared& shared) {
    return std::ranges::any_of(shared.traffic.readers, [&](const Reader& reader) {
        return shared.domain_of(reader.node) != shared.domain_of(shared.traffic.flows[reader.flow].node);
    });
}

}  // namespace

std::string why_not_shared(const Shared& shared, const ReplayTask& task) {
    const Traffic& traffic = shared.traffic;
    if (shared.islands.count() < 2) { return "all of it is one node"; }
    if (!task.events.empty()) { return "links change or fail meanwhile"; }
    if (shared.windowed()) { return "this congestion control keeps what packets met where their senders find it"; }
    if (shared.sequence.flow != none) { return "one connection's packets are watched"; }
    if (has_two_writers(shared) || shares_services(shared) || reads_across(shared) ||
        !std::ranges::all_of(traffic.route_patterns,
                             [&](const Route& route) { return ends_at_one_rank(shared, route); })) {
        return "nodes of several ranks would share more than links";
    }
    return {};
}

std::uint64_t fingerprint(const Shared& shared) {
    std::uint64_t h = mix(shared.options.seed);
    const auto add = [&](auto value) { h = mix(h ^ static_cast<std::uint64_t>(value)); };
    const Network& net = shared.net;
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        add(net.ports[p].latency);
        add(net.ports[p].inverse);
        add(net.ports[p].credits);
        add(net.ports[p].to_node);
        add(net.ingress[p].return_latency + net.ingress[p].headroom);
    }
    for (const std::uint32_t hop : net.hops) { add(hop); }
    for (const std::uint32_t domain : shared.islands.domain) { add(domain); }
    for (const std::int64_t bytes : shared.traffic.message_bytes) { add(bytes); }
    for (const std::uint32_t shape : shared.traffic.shape_of) { add(shape); }
    for (const Stream& stream : shared.traffic.stream_patterns) {
        add(stream.pieces);
        add(stream.piece_bytes);
        add(stream.overhead);
    }
    return h;
}

}  // namespace fabricast::inline packet
