#include "sim/events.hpp"

#include "sim/trouble.hpp"

namespace fabricast {

namespace {

LinkId link_named(const Scenario& scenario, const Fabric& fabric, const std::string& name) {
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        if (fabric.link_name(LinkId{i}) == name) {
            return LinkId{i};
        }
    }
    // For the message only: names of the first links, or the search for the nearest would outlast patience.
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < fabric.link_count() && i < 10'000; ++i) {
        names.push_back(fabric.link_name(LinkId{i}));
    }
    fail_at(scenario, "events",
            complaint("no such link", shown(name), "one direction of a cable, as " + names.at(0),
                      nearest_word(name, names)));
}

}  // namespace

std::vector<LinkEvent> link_events(const Scenario& scenario, const Fabric& fabric) {
    std::vector<LinkEvent> events;
    if (scenario.events.empty()) {
        return events;
    }
    if (!std::holds_alternative<Flow>(scenario.engine) && !std::holds_alternative<Packet>(scenario.engine)) {
        fail_at(scenario, "engine", "this engine replays without events (accepted: flow, packet)");
    }
    for (const LinkChange& change : scenario.events) {
        events.push_back({change.at, link_named(scenario, fabric, change.link), change.share});
    }
    return events;
}

}  // namespace fabricast
