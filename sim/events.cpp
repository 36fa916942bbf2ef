#include "sim/events.hpp"

#include "sim/trouble.hpp"

namespace fabricast {

namespace {

// Of parallel cables with one name the first; the second is called "leaf0 -> spine0 #2".
LinkId link_named(const Scenario& scenario, const Fabric& fabric, const std::string& name) {
    std::uint32_t same = 0;
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        const std::string own = fabric.link_name(LinkId{i});
        if (own == name || (name.starts_with(own + " #") && own + " #" + std::to_string(++same) == name)) {
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

std::vector<LinkId> links_between(const Fabric& fabric, DeviceId a, DeviceId b) {
    std::vector<LinkId> links;
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        const LinkEnds ends = fabric.ends(LinkId{i});
        if ((ends.from == a && ends.to == b) || (ends.from == b && ends.to == a)) {
            links.push_back(LinkId{i});
        }
    }
    return links;
}

std::vector<LinkId> links_of(const Fabric& fabric, DeviceId device) {
    std::vector<LinkId> links;
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        const LinkEnds ends = fabric.ends(LinkId{i});
        if (ends.from == device || ends.to == device) {
            links.push_back(LinkId{i});
        }
    }
    return links;
}

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
