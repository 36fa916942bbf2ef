#include "sim/events.hpp"

#include <algorithm>
#include <optional>

#include "models/link_part.hpp"
#include "sim/trouble.hpp"

namespace fabricast {

namespace {

constexpr std::uint32_t most_names = 10'000;  // searched for the nearest one: more would outlast patience

// Of a change: where it was written, or the cluster whose part it names.
[[noreturn]] void fail(const Scenario& scenario, const LinkChange& change, const std::string& message) {
    throw ScenarioError(change.place.file != nullptr ? change.place : place_of(scenario, "cluster"), message);
}

LinkId link_named(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        if (fabric.link_name(LinkId{i}) == change.link) {
            return LinkId{i};
        }
    }
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < fabric.link_count() && i < most_names; ++i) {
        names.push_back(fabric.link_name(LinkId{i}));
    }
    fail(scenario, change,
         complaint("no such link", shown(change.link), "one direction of a cable, as " + names.at(0),
                   nearest_word(change.link, names)));
}

DeviceId device_named(const Scenario& scenario, const Fabric& fabric, const LinkChange& change,
                      const std::string& name) {
    try {
        return fabric.device(name);
    } catch (const ClusterError& error) {
        fail(scenario, change, error.what());
    }
}

// What a change touches, and whether only one cable of each bundle.
struct Touched {
    std::vector<LinkId> links;
    bool one_cable = false;
};

Touched touched(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    if (!change.link.empty()) {
        return {{link_named(scenario, fabric, change)}};
    }
    if (!change.device.empty()) {
        std::vector<LinkId> links = links_of(fabric, device_named(scenario, fabric, change, change.device));
        if (links.empty()) {
            fail(scenario, change, change.device + " has no cables");
        }
        return {std::move(links)};
    }
    const DeviceId a = device_named(scenario, fabric, change, change.cable.at(0));
    const DeviceId b = device_named(scenario, fabric, change, change.cable.at(1));
    std::vector<LinkId> links = links_of_cable(fabric, a, b);
    if (links.empty()) {
        fail(scenario, change, "no cable joins " + change.cable[0] + " and " + change.cable[1]);
    }
    return {std::move(links), true};
}

// What is left of a bundle's capacity.
double left_of(const Fabric& fabric, LinkId bundle, double share, bool one_cable) {
    const double cables = std::max(1U, fabric.ends(bundle).cables);
    return one_cable ? 1 - (1 - share) / cables : share;
}

// The cable that a service of both directions belongs to; a link by itself.
LinkId cable_of(const Fabric& fabric, LinkId link, const std::vector<LinkId>& touched) {
    const LinkEnds of = fabric.ends(link);
    const auto found = std::ranges::find_if(touched, [&](LinkId other) {
        const LinkEnds ends = fabric.ends(other);
        return !ends.resource &&
               ((ends.from == of.from && ends.to == of.to) || (ends.from == of.to && ends.to == of.from));
    });
    return of.resource && found != touched.end() ? *found : link;
}

// A part's payload rate over that of one cable of the link.
double trained_share(const Scenario& scenario, const Fabric& fabric, LinkId link, const Catalog& catalog,
                     const LinkChange& change) {
    try {
        constexpr double rounding = 1e-6;
        const double cables = std::max(1U, fabric.ends(link).cables);
        const double share =
            goodput(link_spec(catalog.at("link", change.becomes))) * cables / fabric.link(link).capacity;
        if (share > 1 + rounding) {
            fail(scenario, change, "'becomes' is faster than " + fabric.link_name(link) + " is");
        }
        return std::min(1.0, share);
    } catch (const CatalogError& error) {
        fail(scenario, change, error.what());
    }
}

// A GPU that is named by itself has slow kernels; its cables are as good as ever. Dead it cannot be: a job ends with
// it.
std::optional<LinkEvent> slow_kernels(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    if (change.device.empty()) {
        return std::nullopt;
    }
    const DeviceId device = device_named(scenario, fabric, change, change.device);
    if (fabric.kind(device) != DeviceKind::gpu) {
        return std::nullopt;
    }
    if (change.share <= 0) {
        fail(scenario, change, "a job does not outlive its GPU: 'share' must be above 0 here");
    }
    return LinkEvent{change.at, {}, change.share, device};
}

void add_flaps(const LinkChange& change, const LinkEvent& first, std::vector<LinkEvent>& events) {
    for (std::uint32_t flap = 0; flap < change.times; ++flap) {
        const Duration later{change.every.ps * flap};
        LinkEvent event = first;
        event.at = change.at + later;
        events.push_back(event);
        if (change.until.ps > 0) {
            event.at = change.until + later;
            event.share = 1;
            events.push_back(event);
        }
    }
}

}  // namespace

std::vector<LinkId> links_of_cable(const Fabric& fabric, DeviceId a, DeviceId b) {
    std::vector<LinkId> links;
    std::optional<LinkId> forth;
    std::optional<LinkId> back;
    std::optional<LinkId> shared;
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        const LinkEnds ends = fabric.ends(LinkId{i});
        const bool one_way = ends.from == a && ends.to == b;
        if (!one_way && !(ends.from == b && ends.to == a)) {
            continue;
        }
        std::optional<LinkId>& place = ends.resource ? shared : one_way ? forth : back;
        if (!place) {
            place = LinkId{i};
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

std::vector<LinkEvent> link_events(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog) {
    std::vector<LinkEvent> events;
    if (scenario.events.empty()) {
        return events;
    }
    if (!std::holds_alternative<Flow>(scenario.engine) && !std::holds_alternative<Packet>(scenario.engine)) {
        fail_at(scenario, "engine", "this engine replays without events (accepted: flow, packet)");
    }
    for (const LinkChange& change : scenario.events) {
        if (const auto slow = slow_kernels(scenario, fabric, change)) {
            add_flaps(change, *slow, events);
            continue;
        }
        const Touched what = touched(scenario, fabric, change);
        for (const LinkId link : what.links) {
            const LinkId cable = cable_of(fabric, link, what.links);
            const double share =
                change.becomes.empty() ? change.share : trained_share(scenario, fabric, cable, catalog, change);
            add_flaps(change, LinkEvent{change.at, link, left_of(fabric, cable, share, what.one_cable)}, events);
        }
    }
    return events;
}

}  // namespace fabricast
