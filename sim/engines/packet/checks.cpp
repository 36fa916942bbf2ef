#include "sim/engines/packet/checks.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace fabricast::inline packet {

void check_buffers(const Shared& shared, const Fabric& fabric) {
    const Network& net = shared.net;
    const auto wrong = [](const std::string& where, const char* what, std::int64_t found) {
        throw std::logic_error(fmt::format("this replay is wrong: {} {} ({})", where, what, found));
    };
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        const Ingress& in = net.ingress[p];
        const auto refuse = [&](const char* what, std::int64_t found) {
            wrong("link " + fabric.link_name(net.links[p]), what, found);
        };
        if (port.control == Control::credits && port.credits < 0) { refuse("spent credits it had not", port.credits); }
        if (net.counts[p].headers < 0) { refuse("spent header credits it had not", net.counts[p].headers); }
        if (port.queued_bytes < 0) { refuse("has less than no queue", port.queued_bytes); }
        if (port.queue.empty() && port.queued_bytes != 0) { refuse("counts bytes of no packet", port.queued_bytes); }
        if (in.bytes < 0 || in.over < 0) { refuse("holds less than nothing", std::min(in.bytes, in.over)); }
        if (in.over > in.headroom) { refuse("holds more than its headroom", in.over); }
    }
    for (const Node& node : net.nodes) {
        if (node.used < 0 || node.used > node.buffer) {
            wrong(fabric.device_name(node.device), "uses more than its buffer", node.used);
        }
    }
}

}  // namespace fabricast::inline packet
