#include "sim/engines/packet/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace fabricast::inline packet {

namespace {

bool held_back(const Network& net, std::uint32_t p) {
    const Port& port = net.ports[p];
    return !port.queue.empty() && net.blocked(port, port.queue.front().frame.bytes) && !port.down;
}

// What the receive buffer of each link waits for: ports of the next node, held back with packets that came over it.
std::vector<std::vector<std::uint32_t>> waits_for(const Network& net) {
    std::vector<std::vector<std::uint32_t>> edges(net.port_count);
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        if (!held_back(net, p)) { continue; }
        for (std::uint32_t i = 0; i < net.ports[p].queue.size(); ++i) {
            const std::uint32_t ingress = net.ports[p].queue.at(i).ingress;
            if (ingress != none && (edges[ingress].empty() || edges[ingress].back() != p)) {
                edges[ingress].push_back(p);
            }
        }
    }
    return edges;
}

}  // namespace

std::vector<std::uint32_t> find_deadlock(const Shared& shared) {
    const auto edges = waits_for(shared.net);
    enum : std::uint8_t { fresh, open, closed };
    std::vector<std::uint8_t> state(edges.size(), fresh);
    struct Step {
        std::uint32_t port;
        std::size_t next;
    };
    for (std::uint32_t root = 0; root < edges.size(); ++root) {
        if (state[root] != fresh || !held_back(shared.net, root)) { continue; }
        std::vector<Step> path{{root, 0}};
        state[root] = open;
        while (!path.empty()) {
            Step& top = path.back();
            if (top.next == edges[top.port].size()) {
                state[top.port] = closed;
                path.pop_back();
                continue;
            }
            const std::uint32_t next = edges[top.port][top.next++];
            if (state[next] == open) {
                std::vector<std::uint32_t> cycle;
                const auto from = std::ranges::find(path, next, &Step::port);
                std::transform(from, path.end(), std::back_inserter(cycle), [](const Step& s) { return s.port; });
                return cycle;
            }
            if (state[next] == fresh) {
                state[next] = open;
                path.push_back({next, 0});
            }
        }
    }
    return {};
}

std::string describe_deadlock(const Shared& shared, const Fabric& fabric) {
    const Network& net = shared.net;
    const auto name = [&](std::uint32_t p) {
        const std::string lane = net.ports[p].lanes > 1 ? fmt::format(" lane {}", net.counts[p].lane) : "";
        return fmt::format("'{}'{}", fabric.link_name(net.links[p]), lane);
    };
    const std::vector<std::uint32_t> cycle = find_deadlock(shared);
    if (!cycle.empty()) {
        std::string text = fmt::format("deadlock of {} ports: ", cycle.size());
        for (const std::uint32_t p : cycle) { text += name(p) + " waits for "; }
        return text + name(cycle.front());
    }
    constexpr std::size_t shown = 4;
    std::vector<std::string> found;
    for (std::uint32_t p = 0; p < net.port_count && found.size() < shown && !shared.lossy; ++p) {
        if (net.ingress[p].drops > 0) { found.push_back(name(p)); }
    }
    if (!found.empty()) {
        return fmt::format(
            "{} lost packets that nobody sends again: the buffer there is smaller than its headroom, or "
            "pauses end before they are renewed",
            joined(found));
    }
    for (std::uint32_t p = 0; p < net.port_count && found.size() < shown; ++p) {
        if (net.ports[p].down) { found.push_back(fmt::format("link {} is down", fabric.link_name(net.links[p]))); }
    }
    for (std::uint32_t p = 0; p < net.port_count && found.size() < shown; ++p) {
        if (const Port& port = net.ports[p]; !port.queue.empty()) {
            found.push_back(
                fmt::format("{} holds {} packets{}", name(p), port.queue.size(), port.paused ? " (paused)" : ""));
        }
    }
    return found.empty() ? "nothing moves any more" : joined(found);
}

}  // namespace fabricast::inline packet
