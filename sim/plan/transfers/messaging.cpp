#include "sim/plan/transfers/messaging.hpp"

#include <algorithm>
#include <limits>

namespace fabricast::inline transfers {

Messaging messaging_of(const std::string& name, DataPathFigures& figures) {
    const Part& part = figures.catalog().at("messaging", name);
    const auto number = [&](std::string_view figure, double otherwise) {
        return part.has(figure) ? figures.number(name, figure) : otherwise;
    };
    const auto duration = [&](std::string_view figure) { return from_seconds(number(figure, 0)); };
    constexpr double never = std::numeric_limits<double>::infinity();
    Messaging m;
    m.name = name;
    m.send = duration("send.overhead");
    m.send_gap = std::max(m.send, duration("send.gap"));
    m.receive = duration("receive.overhead");
    m.receive_gap = std::max(m.receive, duration("receive.gap"));
    m.inject_max = number("inject_max", never);
    m.payload_read = duration("payload_read");
    m.eager_max = number("eager_max", never);
    m.gpu_eager_max = number("gpu_eager_max", m.eager_max);
    m.gpu_bounce_max = number("gpu_bounce_max", 0);
    m.gpu_bounce = duration("gpu_bounce");
    m.rendezvous = duration("rendezvous");
    m.inside_node = part.word_or("inside_node", "");
    m.read_outstanding = number("read.outstanding", 0);
    m.window = static_cast<std::uint32_t>(number("window", 1));
    m.acknowledged = part.word_or("acknowledged", "no") == "yes";
    m.offloaded = part.word_or("offloaded", "no") == "yes";
    m.by_core = part.word_or("posted_by", "core") == "core";
    m.in_order = part.word_or("in_order", "no") == "yes";
    return m;
}

}  // namespace fabricast::inline transfers
