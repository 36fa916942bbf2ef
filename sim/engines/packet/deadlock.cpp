#include "sim/engines/packet/deadlock.hpp"

#include <algorithm>

namespace fabricast::packet {

namespace {

bool held_back(const Network& net, std::uint32_t p) {
    const Port& port = net.ports[p];
    return !port.queue.empty() && net.blocked(p, port.queue.front().frame.bytes) && !port.down;
}

// What the receive buffer of each link waits for: ports of the next node that are held back and have packets that came
// over the link.
std::vector<std::vector<std::uint32_t>> waits_for(const Network& net) {
    std::vector<std::vector<std::uint32_t>> edges(net.port_count);
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        if (!held_back(net, p)) {
            continue;
        }
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
        if (state[root] != fresh || !held_back(shared.net, root)) {
            continue;
        }
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
                const auto from = std::find_if(path.begin(), path.end(), [&](const Step& s) { return s.port == next; });
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

std::string describe_standstill(const Shared& shared, const Fabric& fabric) {
    const Network& net = shared.net;
    const auto name = [&](std::uint32_t p) {
        const std::string lane = net.ports[p].lanes > 1 ? " lane " + std::to_string(net.counts[p].lane) : "";
        return "'" + fabric.link_name(net.links[p]) + "'" + lane;
    };
    const std::vector<std::uint32_t> cycle = find_deadlock(shared);
    std::string text;
    if (!cycle.empty()) {
        text = "deadlock of " + std::to_string(cycle.size()) + " ports: ";
        for (const std::uint32_t p : cycle) {
            text += name(p) + " waits for ";
        }
        return text + name(cycle.front());
    }
    std::size_t shown = 0;
    for (std::uint32_t p = 0; p < net.port_count && shown < 4; ++p) {
        if (!net.ports[p].queue.empty()) {
            text += (text.empty() ? "" : ", ") + name(p) + " holds " + std::to_string(net.ports[p].queue.size()) +
                    " packets" + (net.ports[p].paused ? " (paused)" : "");
            ++shown;
        }
    }
    for (std::uint32_t p = 0; p < net.port_count && shown < 4; ++p) {
        if (net.ports[p].down) {
            text += (text.empty() ? "" : ", ") + ("link " + fabric.link_name(net.links[p])) + " is down";
            ++shown;
        }
    }
    return text.empty() ? "nothing moves any more" : text;
}

}  // namespace fabricast::packet
