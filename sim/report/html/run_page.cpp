#include "sim/report/html/run_page.hpp"

#include <algorithm>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/cable_names.hpp"
#include "sim/report/html/packet_animation.hpp"
#include "sim/report/html/training_page.hpp"
#include "sim/report/packet_picture.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/report/result_file.hpp"
#include "sim/report/summarize.hpp"
#include "sim/scenario/keys.hpp"
#include "topologies/export.hpp"

namespace fabricast::inline report::html {

namespace {

// "16 x dgx-h100 (128 GPUs), rail-optimized infiniband-ndr".
std::string cluster_words(const Fabric& fabric) {
    const FabricSpec& spec = fabric.cluster().fabric;
    std::string words = node_words(fabric) + " (" + std::to_string(fabric.gpu_count()) + " GPUs)";
    if (spec.kind != FabricKind::none) {
        words += ", " + std::string(fabricast::to_string(spec.kind));
        words += spec.link.name.empty() ? "" : " " + std::string(spec.link.name);
    }
    return words;
}

double size_of(const Row& row) { return static_cast<double>(row.size.count); }

// busbw is size * factor / time, so the lower end of its interval comes from the upper end of the time's interval.
Point busbw_point(const Row& row) {
    Point point{size_of(row), row.busbw};
    if (row.time_low80_s > 0 && row.time_high80_s > row.time_low80_s) {
        point.low = row.busbw * row.time_s / row.time_high80_s;
        point.high = row.busbw * row.time_s / row.time_low80_s;
    }
    return point;
}

Point time_point(const Row& row) {
    Point point{size_of(row), row.time_s};
    if (row.time_high80_s > row.time_low80_s) {
        point.low = row.time_low80_s;
        point.high = row.time_high80_s;
    }
    return point;
}

// Nothing for a single size, which makes no curve.
void add_size_curves(Page& page, std::string title, const std::string& caption, Axis y, const std::vector<Row>& rows,
                     Point (*point)(const Row&)) {
    if (rows.size() < 2) { return; }
    Line line{"forecast", {}};
    for (const Row& row : rows) { line.points.push_back(point(row)); }
    Curves curves{std::move(title),
                  caption + " The band holds four results in five.",
                  {"message size", Unit::size, true},
                  std::move(y),
                  {}};
    curves.lines.push_back(std::move(line));
    page.sections.emplace_back(std::move(curves));
}

void add_scaling(Page& page, const std::vector<ScalingPoint>& points) {
    Line kept{"bus bandwidth kept", {}};
    Line efficiency{"efficiency of the step", {}};
    for (const ScalingPoint& p : points) {
        kept.points.push_back({static_cast<double>(p.gpus), p.busbw_retained});
        if (p.efficiency) { efficiency.points.push_back({static_cast<double>(p.gpus), *p.efficiency}); }
    }
    Curves curves{"Scaling",
                  "What is kept of the first point's bus bandwidth, at the largest message, as the cluster grows.",
                  {"GPUs", Unit::count, true},
                  {"kept", Unit::share},
                  {kept}};
    if (!efficiency.points.empty()) { curves.lines.push_back(efficiency); }
    page.sections.emplace_back(std::move(curves));
    page.sections.emplace_back(page_table("Scaling, size by size", "", points, point_columns()));
}

void add_collective(Page& page, const Scenario& scenario, const Report& report, const Fabric& fabric) {
    const auto& workload = collective_of(scenario);
    const Row& best = *std::ranges::max_element(report.rows, {}, &Row::busbw);
    const Row& first = report.rows.front();
    const Point interval = busbw_point(best);
    const std::string name(to_string(workload.collective));
    page.answer = "On " + cluster_words(fabric) + ", " + name + " of " + text(best.size) + " takes " +
                  time_text(best.time_s) + ": " + rate_text(best.busbw) + " of bus bandwidth";
    if (interval.low) {
        page.answer += " (80 % interval " + rate_text(*interval.low) + " to " + rate_text(*interval.high) + ")";
    }
    page.answer += ", bounded by " + best.bottleneck + ".";
    if (report.points.size() > 1) {
        const ScalingPoint& last = report.points.back();
        page.answer += " On " + std::to_string(last.gpus) + " GPUs " + percent(last.busbw_retained) + " of what " +
                       std::to_string(report.points.front().gpus) + " have is kept.";
    }
    page.headlines = {{"best bus bandwidth", rate_text(best.busbw), "at " + text(best.size)},
                      {"bounded by", best.bottleneck, best.algorithm + ", " + best.protocol},
                      {"rests on", std::string(to_string(best.evidence)), "weakest: " + weakest_evidence(report.rows)}};
    if (first.size < best.size) {
        page.headlines.insert(page.headlines.begin() + 1,
                              Headline{"smallest message", time_text(first.time_s), text(first.size)});
    }
    add_size_curves(page, "Bus bandwidth", "Of " + name + ", as nccl-tests counts it.", {"busbw", Unit::rate},
                    report.rows, busbw_point);
    add_size_curves(page, "Time", "Of one call in the steady state.", {"time", Unit::time, true}, report.rows,
                    time_point);
    page.sections.emplace_back(page_table("Size by size",
                                          "What nccl-tests would print, which algorithm and protocol runs, what bounds "
                                          "it, and what the row rests on. Intervals hold four results in five.",
                                          report.rows, row_columns()));
    if (!report.points.empty()) { add_scaling(page, report.points); }
}

void add_transfer(Page& page, const TransferWorkload& workload, const Report& report) {
    const Row& best = *std::ranges::max_element(report.rows, {}, &Row::busbw);
    const Row& first = report.rows.front();
    page.answer = "From " + workload.from + " to " + workload.to + " one message of " + text(best.size) + " takes " +
                  time_text(best.time_s) + " by " + best.algorithm + "; a window of them passes " +
                  rate_text(best.busbw) + ", bounded by " + best.bottleneck + ".";
    page.headlines = {{"one message", time_text(first.time_s), text(first.size)},
                      {"a window of messages", rate_text(best.busbw), "at " + text(best.size)},
                      {"bounded by", best.bottleneck, best.algorithm}};
    add_size_curves(page, "Bandwidth", "Of a window of messages.", {"bandwidth", Unit::rate}, report.rows, busbw_point);
    add_size_curves(page, "Time", "Of one message, from the call to the receiver's last instruction.",
                    {"time", Unit::time, true}, report.rows, time_point);
    page.sections.emplace_back(
        page_table("Size by size", "algbw is one message's, busbw a window's. Intervals hold four results in five.",
                   report.rows, row_columns(true)));
}

void add_replay(Page& page, const Report& report, const Fabric& fabric) {
    const ReplayReport& replay = *report.replay;
    page.answer = "Replayed on " + cluster_words(fabric) + ", the recorded work takes " + time_text(replay.makespan_s);
    page.answer += replay.recorded_s ? " (recorded: " + time_text(*replay.recorded_s) + ")" : "";
    page.answer += ", bounded by " + replay.bottleneck + ".";
    page.headlines = {{"replayed", time_text(replay.makespan_s), std::to_string(replay.ranks) + " ranks"},
                      {"bounded by", replay.bottleneck, ""}};
    Bars bars{"What the ranks did",
              "Of the makespan: computing, communication and waiting that no kernel hides.",
              Unit::time,
              {},
              {{"computing", {}}, {"exposed", {}}}};
    for (const ReplayRank& rank : replay.members) {
        bars.labels.push_back("rank " + std::to_string(rank.rank) + " (" + rank.device + ")");
        bars.parts[0].values.push_back(rank.compute_s);
        bars.parts[1].values.push_back(rank.exposed_s);
    }
    page.sections.emplace_back(std::move(bars));
    if (!replay.members.empty()) {
        add_timeline(page, report.trace, "rank " + std::to_string(replay.members.front().rank));
    }
    page.sections.emplace_back(page_table(
        "Communication by kind", "Bytes and times are summed over the calls; calls of different groups run at once.",
        replay.uses, replay_use_columns()));
}

Table class_table(const std::vector<LinkTraffic>& traffic) {
    Table table{"Traffic by kind of link",
                "Of all links of a kind, over the whole replay.",
                {{"row"}, {"links"}, {"bytes", Unit::size}, {"busy, summed over links", Unit::time}},
                {},
                true};
    for (const LinkTraffic& row : traffic) {
        for (const ClassUse& use : row.classes) {
            table.rows.push_back({row.row, std::string(fabricast::to_string(use.cls)), use.bytes, use.busy_s});
        }
    }
    return table;
}

Table busiest_table(const std::vector<LinkTraffic>& traffic, const Fabric& fabric) {
    const CableNames cables(fabric);
    Table table{"Busiest links",
                "Links used alike stand once.",
                {{"row"}, {"link"}, {"alike", Unit::count}, {"bytes", Unit::size}, {"busy", Unit::share}},
                {},
                true};
    for (const LinkTraffic& row : traffic) {
        for (const LinkUse& use : row.busiest) {
            if (has_links_of(row, fabric)) {
                table.rows.push_back({row.row, cables.name(use.link), static_cast<double>(use.alike), use.bytes,
                                      std::min(use.utilisation, 1.0)});
            }
        }
    }
    return table;
}

void add_scene(Page& page, const Report& report, const Fabric& fabric) {
    const bool mean = std::ranges::any_of(report.traffic, [](const LinkTraffic& row) { return row.busy.empty(); });
    Scene scene{"The cluster and what its links carry",
                std::string("Colour and width say how busy a cable is over the whole run, its busier direction") +
                    (mean ? ". This fabric has more links than are counted one by one: exact are the busiest and those "
                            "used alike, the others have the mean of their kind."
                          : "."),
                draw(fabric, report.traffic)};
    scene.drawing.frame_kind = report.rows.empty() ? "run" : "message size";
    page.sections.emplace_back(std::move(scene));
    page.sections.emplace_back(busiest_table(report.traffic, fabric));
    page.sections.emplace_back(class_table(report.traffic));
}

}  // namespace

void add_provenance(Page& page, const Scenario& scenario) {
    const Json resolved = to_json(scenario);
    page.facts = {{"engine", resolved.at("engine").get<std::string>()},
                  {"seed", std::to_string(scenario.seed)},
                  {"fabricast", std::string(version())},
                  {"scenario", scenario.file}};
    page.sections.emplace_back(Words{"The scenario as it was understood", {resolved.dump(2)}, true});
}

Page run_page(const Scenario& scenario, const Report& report, const Fabric& fabric,
              const std::vector<LinkEvent>& events) {
    Page page;
    page.title = scenario.name;
    if (!report.steps.empty()) {
        add_steps(page, scenario, report, fabric.node_count(), cluster_words(fabric));
    } else if (report.replay) {
        add_replay(page, report, fabric);
    } else if (const auto* transfer = std::get_if<TransferWorkload>(&scenario.workload);
               transfer != nullptr && !report.rows.empty()) {
        add_transfer(page, *transfer, report);
    } else if (!report.rows.empty()) {
        add_collective(page, scenario, report, fabric);
    } else {
        page.answer = "Nothing was run.";
    }
    add_packet_animation(page, report.packets, fabric, events,
                         report.steps.empty() ? std::vector<TraceSpan>{} : report.trace);
    add_scene(page, report, fabric);
    page.figures = report.figures;
    page.evidence = report.evidence_notes;
    page.notes = report.notes;
    add_provenance(page, scenario);
    return page;
}

Page deadlock_page(const Scenario& scenario, const Fabric& fabric, const std::string& message) {
    std::vector<std::string> names;  // each once, in their order
    for (QuotedLink& link : quoted_links(message)) {
        if (std::ranges::find(names, link.name) == names.end()) { names.push_back(std::move(link.name)); }
    }
    Animation animation{{"the end"}, {}, {}};
    Table table{
        "Links that wait", "In the order of waiting; in a deadlock the last waits for the first.", {{"link"}}, {}};
    for (const std::string& name : names) { table.rows.push_back({name}); }
    for (std::uint32_t l = 0; !names.empty() && l < fabric.link_count(); ++l) {
        if (std::ranges::find(names, fabric.link_name(LinkId{l})) != names.end()) {
            animation.focus_links.push_back(LinkId{l});
        }
    }
    animation.load = [&](std::size_t, LinkId link) {
        const bool waits = std::ranges::find(animation.focus_links, link) != animation.focus_links.end();
        return waits ? Load{-1, 0, 1} : Load{-1, 0, 0};  // nothing moves
    };
    Page page;
    page.title = scenario.name;
    page.answer = "This run cannot end: nothing moves any more.";
    page.sections.emplace_back(Words{"Why", {message}, false});
    page.sections.emplace_back(
        Scene{"Where it stands still",
              "Links that wait for their receiver are dashed and marked; in a deadlock they close a ring.",
              draw_animation(fabric, animation)});
    page.sections.emplace_back(std::move(table));
    add_provenance(page, scenario);
    return page;
}

}  // namespace fabricast::inline report::html
