#include "sim/engines/packet/post_events.hpp"

#include <algorithm>

namespace fabricast::inline packet {

void post_events(const ReplayTask& task, const Traffic& traffic,
                 const std::function<void(const ControlMessage&)>& post) {
    const Network& net = traffic.network;
    constexpr double slowest_inverse = 0x1p48;  // the engine's inverse rates have 48 bits: 1 Mb/s
    for (const LinkEvent& event : task.events) {
        for (std::uint32_t p = 0; p < net.port_count && event.at.ps < clock_end; ++p) {
            if (net.links[p] == event.link) {
                const auto millionths = static_cast<std::uint32_t>(std::max(0.0, event.share * 1e6 + 0.5));
                if (millionths > 0 && net.capacity_inverse[p] * 1e6 / millionths >= slowest_inverse) {
                    throw OutOfRange(
                        "an event that leaves less than 1 Mb/s of a link, the slowest that engine packet takes");
                }
                const Port& port = net.ports[p];
                post({event.at.ps, port.from_node, ControlMessage::share, p, millionths});
                if (millionths == 0) { continue; }
                // Before the first packet that was sent at the new rate: of what is due at one time, mail comes last.
                const Ps seen = std::max<Ps>(event.at.ps, event.at.ps + port.latency - 1);
                post({seen, port.to_node, ControlMessage::arrival_rate, p, millionths});
            }
        }
    }
    for (const Epoch& epoch : net.epochs) {
        for (std::uint32_t f = 0; f < traffic.flows.size(); ++f) {
            if (epoch.from < clock_end && epoch.ways[f] != traffic.ways_of(f, epoch.from - 1)) {
                post({epoch.from, traffic.flows[f].node, ControlMessage::reroute, f, 0});
            }
        }
    }
}

}  // namespace fabricast::inline packet
