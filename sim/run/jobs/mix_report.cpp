#include "sim/run/jobs/mix_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::inline jobs {

namespace {

using html::Unit;

std::string ratio_text(double ratio) { return fmt::format("{:.3f}", ratio); }

std::string blame_words(const MixedJob& job) {
    if (job.blamed.empty()) { return "nobody"; }
    if (!(job.own_share > 0)) { return fmt::format("{}: {}", job.blamed, job.meeting); }
    return fmt::format("{}: both need {}, {} of it and {}", job.blamed, job.meeting, percent(job.own_share),
                       percent(job.blamed_share));
}

Columns<MixedJob> columns() {
    using C = report::Column<MixedJob>;
    using J = MixedJob;
    return {
        C("job", "Name of the job.", &J::name).words("job", 12),
        C("nodes", "Number of nodes.", &J::nodes).number("nodes", 6, Unit::count),
        C("gpus", "Number of GPUs.", &J::gpus).printed("gpus", 6).on_page("GPUs", Unit::count),
        C("alone_s", "One call in the steady state, on the fabric alone.", &J::alone_s)
            .number("alone", 11, Unit::time, time_text),
        C("together_s", "One call while all jobs run.", &J::together_s).number("together", 11, Unit::time, time_text),
        C("slowdown", "Together / alone.", &J::slowdown).printed("slowdown", 9, "", ratio_text).on_page("slowdown"),
        C("blamed", "The job that slows it most.", &J::blamed),
        C("meeting", "The link on which they meet.", &J::meeting),
        C("own_share", "Share of that link's capacity that the job takes when it runs alone.", &J::own_share),
        C("blamed_share", "Share of that link's capacity that the other job takes when it runs alone.",
          &J::blamed_share),
        C(blame_words).words("slowed by", 60),
        C("what", "What it runs.", &J::what).words("runs"),
    };
}

// A job's line of the matrix: slower beside which by how much.
Columns<MixedJob> matrix(const JobMix& mix) {
    using C = report::Column<MixedJob>;
    Columns<MixedJob> columns = {
        C("job", "Name of the job.", &MixedJob::name).printed_words("beside", 12).on_page("of")};
    for (std::size_t j = 0; j < mix.jobs.size(); ++j) {
        const std::string& name = mix.jobs[j].name;
        columns.push_back(
            C("beside_" + name, "Slowdown beside it alone.", [j](const MixedJob& job) { return job.beside[j]; })
                .printed(name, std::max(9, static_cast<int>(name.size()) + 1), "", ratio_text)
                .on_page("beside " + name));
    }
    return columns;
}

constexpr double as_fast = 1.005;  // slower by less than this is as fast

Columns<Placed> placed_columns() {
    using C = report::Column<Placed>;
    return {
        C("placement", "Name of the placement.", &Placed::name).printed_words("placement", 24),
        C("time_s", "A call of the largest size, or a step.", &Placed::time_s).printed("time", 12, "", time_text),
        C("against_asked", "Its time divided by that of the placement asked for.", &Placed::against_asked)
            .printed("against yours", 14, "", ratio_text),
        C("leaf_sets", "Number of leaf groups that its nodes are spread over.", &Placed::leaves).printed("leaves", 7),
        C("bottleneck", "The busiest link.", &Placed::bottleneck).printed_words("busiest link", 38),
        C("nodes", "In the order of ranks.", &Placed::hosts).printed_words("nodes")};
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

std::string mix_table(const Scenario& scenario, const JobMix& mix, std::size_t width) {
    std::string lines = fmt::format("# {}: {} on {} nodes, each call after call\n", scenario.name,
                                    plural(mix.jobs.size(), "job"), scenario.cluster.nodes) +
                        text_table(mix.jobs, fitted(columns(), width));
    if (mix.jobs.size() > 2) { lines += "#\n" + text_table(mix.jobs, matrix(mix)); }
    for (const std::string& note : mix.notes) { lines += "# " + note + "\n"; }
    return lines;
}

Json mix_json(const Scenario& scenario, const JobMix& mix) {
    Json json = document_head(scenario);
    json["jobs"] = records_json(mix.jobs, columns());
    json["slowdowns"] = records_json(mix.jobs, matrix(mix));
    json["figures"] = records_json(mix.figures, figure_used_columns());
    std::vector<std::string> notes = mix.notes;
    merge_notes(notes, mix.evidence_notes);
    json["notes"] = notes;
    return json;
}

Records mix_records(const JobMix& mix) { return records_of(mix.jobs, columns()); }

html::Page mix_page(const Scenario& scenario, const JobMix& mix) {
    html::Page page;
    page.title = scenario.name;
    const MixedJob& worst = *std::ranges::max_element(mix.jobs, {}, &MixedJob::slowdown);
    page.answer = worst.blamed.empty() ? std::string("No job is slowed by another.")
                                       : fmt::format("Together, job {} takes {} times as long as alone; slowed by {}.",
                                                     worst.name, ratio_text(worst.slowdown), blame_words(worst));
    page.sections.emplace_back(
        page_table("Jobs", "One call in the steady state, alone and while all jobs run.", mix.jobs, columns()));
    page.sections.emplace_back(
        page_table("Which slows which", "Beside one other job alone, against alone.", mix.jobs, matrix(mix)));
    page.figures = mix.figures;
    page.evidence = mix.evidence_notes;
    page.notes = mix.notes;
    add_provenance(page, scenario);
    return page;
}

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
    json["bound_s"] = search.bound_s;
    json["notes"] = remarks(search);
    return json;
}

std::vector<std::string> hosts_of_ranks(const TextLines& file) {
    std::map<std::uint32_t, std::string> by_rank;  // lines of either kind, in their order
    std::uint32_t next = 0;
    const auto add = [&](std::uint32_t rank, std::string host, const TextLine& line) {
        if (const auto [known, fresh] = by_rank.try_emplace(rank, std::move(host)); !fresh) {
            refuse(file.at(line), "a rank that has a host already", fmt::format("rank {}", rank),
                   fmt::format("once; it is on {}", known->second));
        }
        next = rank + 1;
    };
    for (const TextLine& line : file.lines()) {
        const std::string_view text = trimmed(line.text.substr(0, line.text.find('#')), " \t\r");
        if (text.empty()) { continue; }
        const std::string_view first = text.substr(0, text.find_first_of(" \t:"));
        if (first != "rank") {
            for (std::string& host : hostlist(first, file.at(line))) { add(next, std::move(host), line); }
            continue;
        }
        const std::string_view rest = trimmed(text.substr(4), " \t");
        const std::size_t equals = rest.find('=');
        const auto rank = number_in<std::uint32_t>(trimmed(rest.substr(0, equals), " \t"));
        if (equals == std::string_view::npos || !rank) {
            refuse(file.at(line), "a rank without its host", shown(text), "rank 3=host slot=0");
        }
        const std::string_view host = rest.substr(equals + 1);
        add(*rank, std::string(host.substr(0, host.find_first_of(" \t"))), line);
    }
    std::vector<std::string> hosts;
    std::set<std::string> seen;
    for (const auto& [rank, host] : by_rank) {
        if (!hosts.empty() && hosts.back() == host) { continue; }
        if (!seen.insert(host).second) {
            throw InputError(file.start(), fmt::format("the ranks of host '{}' do not stand together (found another "
                                                       "host before rank {}; accepted: whole nodes, one after another)",
                                                       host, rank));
        }
        hosts.push_back(host);
    }
    if (hosts.empty()) { throw InputError(file.start(), "no host in it (accepted: a host a line)"); }
    return hosts;
}

}  // namespace fabricast::inline jobs
