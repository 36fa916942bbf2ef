#include "sim/run/jobs/placement_report.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::inline jobs {

namespace {

constexpr double as_fast = 1.005;  // slower by less than this is as fast

Columns<Placed> placed_columns() {
    using C = report::Column<Placed>;
    return {C("placement", "Which.", &Placed::name).printed("placement", -24, "", {}, 2),
            C("time_s", "A call of the largest size, or a step.", &Placed::time_s).printed("time", 12, "", time_text),
            C("against_asked", "Its time over that of the placement asked for.", &Placed::against_asked)
                .printed("against yours", 14, "", [](double ratio) { return fmt::format("{:.3f}", ratio); }),
            C("leaf_sets", "Sets of leaves below which its nodes stand.", &Placed::leaves).printed("leaves", 7),
            C("bottleneck", "The busiest link.", &Placed::bottleneck).printed("busiest link", -38, "", {}, 2),
            C("nodes", "In the order of ranks.", &Placed::hosts).printed("nodes", 0, "", {}, 2)};
}

std::vector<std::string> remarks(const PlacementSearch& search) {
    std::vector<std::string> lines;
    lines.push_back(search.every_placement
                        ? fmt::format("{} placements tried: all that differ", search.tried)
                        : fmt::format("{} placements tried, not all: there may be a better and a worse one{}",
                                      search.tried,
                                      search.every_order ? "; of these nodes every order that differs" : ""));
    if (search.bound_s) {
        const double best = search.placed[2].time_s;
        lines.push_back(
            best <= *search.bound_s * as_fast
                ? fmt::format("on one switch it would take {}: none can be better than the best",
                              time_text(*search.bound_s))
                : fmt::format("on one switch it would take {}: none can be faster", time_text(*search.bound_s)));
    }
    if (!search.interchangeable) {
        lines.emplace_back("nodes below the same leaves were taken as alike; the hash of ECMP tells them apart");
    }
    return lines;
}

}  // namespace

std::string placement_table(const Scenario& scenario, const PlacementSearch& search, std::size_t width) {
    std::string lines = fmt::format("# {}: {} on {} of {} nodes\n", scenario.name, search.what,
                                    search.placed.front().nodes.size(), scenario.cluster.nodes) +
                        text_table(search.placed, fitted(placed_columns(), width));
    for (const std::string& remark : remarks(search)) { lines += "# " + remark + "\n"; }
    return lines;
}

Json placement_json(const Scenario& scenario, const PlacementSearch& search) {
    Json json = document_head(scenario);
    json["what"] = search.what;
    json["placements"] = records_json(search.placed, placed_columns());
    json["tried"] = search.tried;
    json["every_placement"] = search.every_placement;
    json["every_order"] = search.every_order;
    json["bound_s"] = or_null(search.bound_s);
    json["notes"] = remarks(search);
    return json;
}

std::vector<std::string> hosts_of_ranks(const TextLines& file) {
    std::map<std::uint32_t, std::string> by_rank;  // lines of either kind, in their order
    std::uint32_t next = 0;
    for (const TextLine& line : file.lines()) {
        const std::string_view text = trimmed(line.text.substr(0, line.text.find('#')), " \t\r");
        if (text.empty()) { continue; }
        const std::string_view first = text.substr(0, text.find_first_of(" \t:"));
        if (first != "rank") {
            for (std::string& host : hostlist(first, file.at(line))) { by_rank[next++] = std::move(host); }
            continue;
        }
        const std::string_view rest = trimmed(text.substr(4), " \t");
        const std::size_t equals = rest.find('=');
        const auto rank = number_in<std::uint32_t>(trimmed(rest.substr(0, equals), " \t"));
        if (equals == std::string_view::npos || !rank) {
            refuse(file.at(line), "a rank without its host", shown(text), "rank 3=host slot=0");
        }
        const std::string_view host = rest.substr(equals + 1);
        by_rank[*rank] = std::string(host.substr(0, host.find_first_of(" \t")));
        next = *rank + 1;
    }
    std::vector<std::string> hosts;
    std::set<std::string> seen;
    for (const auto& [rank, host] : by_rank) {
        if (!hosts.empty() && hosts.back() == host) { continue; }
        if (!seen.insert(host).second) {
            throw InputError(file.start(),
                             fmt::format("the ranks of host '{}' do not stand together (found another host "
                                         "before rank {}; accepted: whole nodes, one after another)",
                                         host, rank));
        }
        hosts.push_back(host);
    }
    if (hosts.empty()) { throw InputError(file.start(), "no host in it (accepted: a host a line)"); }
    return hosts;
}

}  // namespace fabricast::inline jobs
