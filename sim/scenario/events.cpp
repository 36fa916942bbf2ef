#include "sim/scenario/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/link_part.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline scenario {

namespace {

// Changes of cables in a replay, each repetition of a flapping cable counted: some 300 bytes each.
constexpr std::uint64_t most_changes = 1'000'000;
constexpr std::uint32_t most_names = 10'000;  // names that are searched for the nearest one; more would take too long

// Fails where the change was written, or at the cluster if a command made the change.
[[noreturn]] void fail(const Scenario& scenario, const LinkChange& change, const std::string& message) {
    throw InputError(change.place.file != nullptr ? change.place : place_of(scenario, "cluster"), message);
}

LinkId link_named(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        if (fabric.link_name(LinkId{i}) == change.link) { return LinkId{i}; }
    }
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < fabric.link_count() && i < most_names; ++i) {
        names.push_back(fabric.link_name(LinkId{i}));
    }
    fail(scenario, change,
         error_message("no such link", shown(change.link), "one direction of a cable, as " + names.at(0),
                       nearest_word(change.link, names)));
}

DeviceId device_named(const Scenario& scenario, const Fabric& fabric, const LinkChange& change,
                      const std::string& name) {
    try {
        return fabric.device(name);
    } catch (const ClusterError& error) { fail(scenario, change, error.what()); }
}

// All cables of a link, or only the first.
CablesOfLink cables_in(const Fabric& fabric, LinkId link, bool only_one = false) {
    CablesOfLink cables{link, {}};
    for (std::uint32_t cable = 0; cable < (only_one ? 1U : std::max(1U, fabric.ends(link).cables)); ++cable) {
        cables.cables.push_back(cable);
    }
    return cables;
}

std::vector<CablesOfLink> links_of(const Fabric& fabric, DeviceId device) {
    std::vector<CablesOfLink> links;
    for (std::uint32_t i = 0; i < fabric.link_count(); ++i) {
        const LinkEnds ends = fabric.ends(LinkId{i});
        if (ends.from == device || ends.to == device) { links.push_back(cables_in(fabric, LinkId{i})); }
    }
    return links;
}

std::vector<CablesOfLink> of_device(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    const BoughtSwitches bought(fabric);
    if (auto plane = bought.cables_of_plane(change.device)) { return std::move(*plane); }
    if (const auto found = bought.find(change.device)) { return bought.cables_at(*found); }
    if (change.device.find(".port") != std::string::npos) {
        try {
            const SwitchPort port = find_port(fabric, change.device);
            return {{port.out, {port.cable}}, {port.in, {port.cable}}};
        } catch (const ClusterError& error) { fail(scenario, change, error.what()); }
    }
    return links_of(fabric, device_named(scenario, fabric, change, change.device));
}

// Both directions of one cable between two devices (the first of parallel ones), and the service that both directions
// share. If the fabric merges a switch with others into one device, the cable is one of a bundle, or of two bundles.
std::vector<CablesOfLink> of_cable(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    const BoughtSwitches bought(fabric);
    const auto a = bought.find(change.cable.at(0));
    const auto b = bought.find(change.cable.at(1));
    if (change.cable.at(0) == change.cable.at(1) || (a && b && *a == *b)) {
        fail(scenario, change,
             error_message("a cable joins two devices", change.cable.at(0) + " and " + change.cable.at(1),
                           "two ends, or `device` for all cables of one"));
    }
    std::vector<CablesOfLink> links;
    std::set<std::tuple<DeviceId, DeviceId, bool>> seen;  // ends of links, of which parallel ones count once
    if (a && b) {
        for (CablesOfLink& at : bought.cables_at(*a)) {
            const LinkEnds drawn = fabric.ends(at.link);
            const auto joins = std::ranges::find_if(at.cables, [&](std::uint32_t cable) {
                const auto ends = bought.ends(at.link, cable);
                return ends[0] != ends[1] && (ends[0] == b || ends[1] == b);
            });
            if (joins != at.cables.end() && seen.emplace(drawn.from, drawn.to, drawn.resource).second) {
                links.push_back({at.link, {*joins}});
            }
        }
        return links;
    }
    const DeviceId from = device_named(scenario, fabric, change, change.cable.at(0));
    const DeviceId to = device_named(scenario, fabric, change, change.cable.at(1));
    for (std::uint32_t i = 0; i < fabric.link_count() && from != to; ++i) {
        const LinkEnds ends = fabric.ends(LinkId{i});
        const bool joins = (ends.from == from && ends.to == to) || (ends.from == to && ends.to == from);
        if (joins && seen.emplace(ends.from, ends.resource ? ends.from : ends.to, ends.resource).second) {
            links.push_back(cables_in(fabric, LinkId{i}, true));
        }
    }
    return links;
}

// For a service that both directions share, the link of its cable; any other link itself.
LinkId cable_of(const Fabric& fabric, LinkId link, const std::vector<CablesOfLink>& touched) {
    const LinkEnds of = fabric.ends(link);
    const auto found = std::ranges::find_if(touched, [&](const CablesOfLink& other) {
        const LinkEnds ends = fabric.ends(other.link);
        return !ends.resource &&
               ((ends.from == of.from && ends.to == of.to) || (ends.from == of.to && ends.to == of.from));
    });
    return of.resource && found != touched.end() ? found->link : link;
}

// The payload rate of the catalogue link `becomes` as a share of that of one cable of the link.
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
    } catch (const CatalogError& error) { fail(scenario, change, error.what()); }
}

// If the change names a GPU, the event that slows down its kernels; its cables keep their rate. A GPU must keep a share
// above 0: a job does not survive the loss of one.
std::optional<LinkEvent> slow_kernels(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    if (change.device.empty()) { return std::nullopt; }
    DeviceId device{};
    try {
        device = fabric.device(change.device);
    } catch (const ClusterError&) {
        return std::nullopt;  // a plane or a port; of_device refuses any other name
    }
    if (fabric.kind(device) != DeviceKind::gpu) { return std::nullopt; }
    if (change.share <= 0) { fail(scenario, change, "a job does not outlive its GPU: 'share' must be above 0 here"); }
    return LinkEvent{change.at, {}, change.share, device};
}

// From `at` on, these cables of a link have the share `share` of their rate.
struct CableChange {
    Time at;
    CablesOfLink cables;
    std::uint32_t of = 1;  // number of cables that the link bundles
    double share = 0;
};

// Adds the changes of one event, on so many links, to those before it.
void count_changes(const Scenario& scenario, const LinkChange& change, std::size_t links, std::uint64_t& changes) {
    changes += std::uint64_t{change.times} * (change.until.ps > 0 ? 2 : 1) * links;
    if (changes > most_changes) {
        fail(scenario, change,
             error_message("too many changes of links",
                           fmt::format("{} up to this event, each repetition counted", changes),
                           fmt::format("at most {} in a replay", most_changes)));
    }
}

template <class Add> void for_each_flap(const LinkChange& change, double share, const Add& add) {
    for (std::uint32_t flap = 0; flap < change.times; ++flap) {
        const Duration later{change.every.ps * flap};
        add(change.at + later, share);
        if (change.until.ps > 0) { add(change.until + later, 1.0); }
    }
}

// The latest change of a cable applies to it; the share of a link is the mean of its cables' shares.
std::vector<LinkEvent> in_order_of_time(std::vector<CableChange> changes) {
    std::ranges::stable_sort(changes, {}, &CableChange::at);
    std::map<LinkId, std::vector<double>> left;
    std::vector<LinkEvent> events;
    for (const CableChange& change : changes) {
        std::vector<double>& shares = left.try_emplace(change.cables.link, change.of, 1.0).first->second;
        if (change.cables.cables.size() == change.of) {
            shares.assign(std::max<std::size_t>(shares.size(), change.of), change.share);
        } else {
            shares.resize(std::max<std::size_t>(shares.size(), change.of), shares.front());
            for (const std::uint32_t cable : change.cables.cables) { shares[cable] = change.share; }
        }
        const bool alike = std::ranges::all_of(shares, [&](double share) { return share == shares.front(); });
        const double together = std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
        events.push_back({change.at, change.cables.link, alike ? shares.front() : together});
    }
    return events;
}

}  // namespace

std::vector<CablesOfLink> cables_of(const Scenario& scenario, const Fabric& fabric, const LinkChange& change) {
    if (!change.link.empty()) { return {cables_in(fabric, link_named(scenario, fabric, change))}; }
    std::vector<CablesOfLink> found =
        change.device.empty() ? of_cable(scenario, fabric, change) : of_device(scenario, fabric, change);
    if (found.empty()) {
        fail(scenario, change,
             change.device.empty() ? "no cable joins " + change.cable[0] + " and " + change.cable[1]
                                   : change.device + " has no cables");
    }
    return found;
}

std::vector<LinkEvent> link_events(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog) {
    std::vector<LinkEvent> events;
    if (scenario.events.empty()) { return events; }
    if (!traits_of(scenario.engine).events) {
        const std::string accepted = joined(engine_names(&EngineTraits::events));
        fail_at(scenario, "engine", "this engine replays without events (accepted: " + accepted + ")");
    }
    std::vector<CableChange> changes;
    std::uint64_t counted = 0;
    for (const LinkChange& change : scenario.events) {
        if (const auto slow = slow_kernels(scenario, fabric, change)) {
            count_changes(scenario, change, 1, counted);
            for_each_flap(change, slow->share, [&](Time at, double share) {
                events.push_back({at, {}, share, slow->device});
            });
            continue;
        }
        const std::vector<CablesOfLink> touched = cables_of(scenario, fabric, change);
        count_changes(scenario, change, touched.size(), counted);
        for (const CablesOfLink& cables : touched) {
            const LinkId cable = cable_of(fabric, cables.link, touched);
            const double left =
                change.becomes.empty() ? change.share : trained_share(scenario, fabric, cable, catalog, change);
            // A service that both directions share loses as much as one of its cables.
            const std::uint32_t of = std::max(1U, fabric.ends(cable).cables);
            CablesOfLink own = cables;
            if (cable != cables.link) { own.cables = std::ranges::find(touched, cable, &CablesOfLink::link)->cables; }
            for_each_flap(change, left, [&](Time at, double share) { changes.push_back({at, own, of, share}); });
        }
    }
    const std::vector<LinkEvent> of_links = in_order_of_time(std::move(changes));
    events.insert(events.end(), of_links.begin(), of_links.end());
    return events;
}

}  // namespace fabricast::inline scenario
