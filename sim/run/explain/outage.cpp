#include "sim/run/explain/outage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/report/columns.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/detour.hpp"

namespace fabricast::inline explain {

namespace {

constexpr std::size_t most_shown = 12;

std::vector<OutageRow> rows_of(const Report& healthy, const Report& failed) {
    std::vector<OutageRow> rows;
    for (std::size_t i = 0; i < healthy.rows.size(); ++i) {
        rows.push_back({text(healthy.rows[i].size), healthy.rows[i].time_s, failed.rows[i].time_s});
    }
    for (std::size_t i = 0; i < healthy.steps.size(); ++i) {
        rows.push_back({fmt::format("a step on {} GPUs", healthy.steps[i].gpus), healthy.steps[i].step_time_s,
                        failed.steps[i].step_time_s});
    }
    if (healthy.replay && failed.replay) {
        rows.push_back({"the trace", healthy.replay->makespan_s, failed.replay->makespan_s});
    }
    return rows;
}

// The paths that the job needs: that of a transfer; else from each rank to the next one in its node and to the rank of
// the same index in the next node.
std::vector<PathQuery> ways_of(const Scenario& scenario, const Fabric& fabric) {
    std::vector<PathQuery> ways;
    const auto add = [&](DeviceId from, DeviceId to) {
        if (from != to) { ways.push_back({.src = from, .dst = to}); }
    };
    if (const auto* transfer = std::get_if<TransferWorkload>(&scenario.workload)) {
        add(fabric.device(transfer->from), fabric.device(transfer->to));
        return ways;
    }
    const std::uint32_t each = fabric.gpus_per_node();
    for (std::uint32_t rank = 0; rank < fabric.gpu_count(); ++rank) {
        const std::uint32_t first = rank - rank % each;
        add(fabric.gpu(rank), fabric.gpu(first + (rank + 1) % each));
        if (fabric.node_count() > 1) { add(fabric.gpu(rank), fabric.gpu((rank + each) % fabric.gpu_count())); }
    }
    return ways;
}

void add_diverted(const Fabric& fabric, const PathQuery& way, const std::function<bool(LinkId)>& down,
                  const std::function<bool(LinkId)>& thinned, OutageCost& out) {
    const Path own = fabric.path(way);
    out.sprayed += std::ranges::any_of(own.span(), thinned) ? 1U : 0U;
    const auto lost = std::ranges::find_if(own.span(), down);
    if (lost == own.span().end()) { return; }
    const std::string from = fabric.device_name(way.src);
    const std::string to = fabric.device_name(way.dst);
    const auto other = detour(fabric, way, down);
    if (!other) {
        out.cut.push_back(from + " to " + to);
        return;
    }
    const Path round = fabric.path(*other);
    const auto taken = std::ranges::find_if(
        round.span(), [&](LinkId link) { return std::ranges::find(own.span(), link) == own.span().end(); });
    out.diverted.push_back(
        {from, to, fabric.link_name(*lost), taken == round.span().end() ? "another hash" : fabric.link_name(*taken)});
}

std::string what_changes(const LinkChange& change) {
    if (!change.link.empty()) { return change.link; }
    return change.cable.empty() ? change.device : "the cable of " + change.cable.at(0) + " and " + change.cable.at(1);
}

// "spine3, 64 links: down from 50 ms on until 60 ms, 4 times, every 100 ms". Of a part of a bundle, each cable counts.
std::string described(const LinkChange& change, const Scenario& scenario, const Fabric& fabric,
                      const Catalog& catalog) {
    Scenario alone = scenario;
    alone.events = {change};
    const std::vector<LinkEvent> events = link_events(alone, fabric, catalog);
    std::string out = what_changes(change);
    if (events.front().of_device()) {
        out += ", kernels: ";
    } else {
        std::size_t links = 0;
        for (const CablesOfLink& cables : cables_of(scenario, fabric, change)) {
            links += cables.cables.size() == fabric.ends(cables.link).cables ? 1 : cables.cables.size();
        }
        out += fmt::format(", {}: ", plural(links, "link"));
    }
    const double share = change.becomes.empty() ? change.share : events.front().share;
    out += share <= 0 ? "down" : percent(share) + " left";
    out += change.at.ps > 0 ? " from " + text(change.at) + " on" : "";
    out += change.until.ps > 0 ? " until " + text(change.until) : "";
    out += change.every.ps > 0 ? fmt::format(", {} times, every {}", change.times, text(change.every)) : "";
    return out;
}

// "+3.1 %": the time that a failure adds; a half rounds away from zero.
std::string signed_percent(double share) {
    const auto tenths = static_cast<long long>(share * 1000 + (share < 0 ? -0.5 : 0.5));
    return fmt::format("{}{}.{} %", tenths < 0 ? "-" : "+", std::abs(tenths) / 10, std::abs(tenths) % 10);
}

template <class Item, class Line> std::string some_lines(const std::vector<Item>& items, const Line& line) {
    std::string out;
    for (std::size_t i = 0; i < std::min(items.size(), most_shown); ++i) {
        out += fmt::format("  {}\n", line(items[i]));
    }
    return items.size() <= most_shown ? out : out + fmt::format("  and {} more\n", items.size() - most_shown);
}

}  // namespace

LinkChange without(const std::vector<std::string>& names) {
    LinkChange change;
    if (names.size() == 2) {
        change.cable = names;
    } else if (!names.empty()) {
        change.device = names.front();
    }
    return change;
}

OutageCost outage(const Scenario& scenario, const Catalog& catalog, const Watch& watch) {
    OutageCost out;
    out.scenario = scenario.name;
    Scenario failed = scenario;
    failed.scaling.reset();  // the scaling table ignores events
    Scenario healthy = failed;
    healthy.events.clear();
    pointing_into(scenario, [&] {
        const Fabric fabric(build(failed, catalog));
        const std::vector<LinkEvent> events = link_events(failed, fabric, catalog);
        for (const LinkChange& change : failed.events) {
            out.changed.push_back(described(change, failed, fabric, catalog));
        }
        const auto hit = [&](LinkId link, const auto& how) {
            return std::ranges::any_of(events, [&](const LinkEvent& event) {
                return !event.of_device() && event.link == link && how(event.share);
            });
        };
        const auto down = [&](LinkId link) { return hit(link, [](double share) { return share <= 0; }); };
        const auto thinned = [&](LinkId link) {
            return hit(link, [](double share) { return share > 0 && share < 1; }) && fabric.ends(link).cables > 1;
        };
        const std::vector<PathQuery> ways = ways_of(failed, fabric);
        out.ways = static_cast<std::uint32_t>(ways.size());
        for (const PathQuery& way : ways) { add_diverted(fabric, way, down, thinned, out); }
        return 0;
    });
    const Report whole = simulate(healthy, catalog, watch);
    const Report hurt = simulate(failed, catalog, watch);
    out.rows = rows_of(whole, hurt);
    std::ranges::copy_if(hurt.notes, std::back_inserter(out.notes), [&](const std::string& note) {
        return std::ranges::find(whole.notes, note) == whole.notes.end();
    });
    return out;
}

std::string to_text(const OutageCost& o) {
    std::string out = fmt::format("# {}: healthy, and with what changed\n", o.scenario);
    out += some_lines(o.changed, [](const std::string& change) { return change; });
    out += fmt::format("{:20}{:>14}{:>14}{:>11}\n", "", "healthy", "failed", "cost");
    for (const OutageRow& row : o.rows) {
        out += fmt::format("{:>20}{:>14}{:>14}{:>11}\n", row.what, text(row.healthy_s, Dimension::time),
                           text(row.failed_s, Dimension::time), signed_percent(row.cost()));
    }
    out += fmt::format("# {} of {} ways between neighbours go round\n", o.diverted.size(), o.ways);
    out += some_lines(o.diverted, [](const Diverted& d) {
        return fmt::format("{} to {}: {} in place of {}", d.from, d.to, d.taken, d.left);
    });
    if (o.sprayed > 0) { out += fmt::format("# {} go on over the other cables of their bundles\n", o.sprayed); }
    if (!o.cut.empty()) {
        out += fmt::format("# nothing replaces {} of them\n", o.cut.size());
        out += some_lines(o.cut, [](const std::string& way) { return way; });
    }
    for (const std::string& note : o.notes) { out += "# " + note + "\n"; }
    return out;
}

Json to_json(const OutageCost& o) {
    const auto row = [](const OutageRow& r) -> Json {
        return {{"what", r.what}, {"healthy_s", r.healthy_s}, {"failed_s", r.failed_s}, {"cost", r.cost()}};
    };
    const auto diverted = [](const Diverted& d) -> Json {
        return {{"from", d.from}, {"to", d.to}, {"left", d.left}, {"taken", d.taken}};
    };
    return {{"scenario", o.scenario},
            {"changed", o.changed},
            {"ways", o.ways},
            {"sprayed", o.sprayed},
            {"cut", o.cut},
            {"notes", o.notes},
            {"rows", json_list(o.rows, row)},
            {"diverted", json_list(o.diverted, diverted)}};
}

}  // namespace fabricast::inline explain
