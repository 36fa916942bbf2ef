#include "sim/run/explain/explanation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline explain {

using namespace html;

namespace {

constexpr std::size_t shown_entries = 14;
constexpr int bar_width = 20;  // characters, of the largest change

// None of a stretch below a picosecond: times are whole ones, so that is what rounding left.
std::string line(double seconds, double whole, std::string_view kind, std::string_view rest) {
    if (seconds > 0 && seconds < 1e-12) { return ""; }
    const std::string text = fmt::format("{:6.1f} %  {:<11}{:<11}{}", 100 * (whole > 0 ? seconds / whole : 0),
                                         time_text(seconds), kind, rest);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string words_of(const Blame& blame) {
    return fmt::format("{}, {}{}{}", to_string(blame.kind), blame.what, blame.part.empty() ? "" : ", " + blame.part,
                       blame.hop.empty() ? "" : " (" + blame.hop + ")");
}

// `whole`: the seconds of the run.
Columns<Blame> blame_columns(double whole) {
    using C = report::Column<Blame>;
    return {C("kind", "", [](const Blame& b) { return to_string(b.kind); }).on_page("kind"),
            C("what", "", &Blame::what).on_page("what"),
            C("part", "", &Blame::part).on_page("part"),
            C("hop", "", &Blame::hop).on_page("hop"),
            C("time_s", "", &Blame::seconds).on_page("time", Unit::time),
            C("share", "", [whole](const Blame& b) {
                return whole > 0 ? b.seconds / whole : 0;
            }).on_page("share", Unit::share)};
}

Columns<KneePoint> curve_columns() {
    using C = report::Column<KneePoint>;
    const auto share_text = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
    return {C("nodes", "", &KneePoint::nodes), C("gpus", "", &KneePoint::gpus).printed("gpus", 8, "", {}, 0),
            C("time_s", "", &KneePoint::seconds).printed("time", -11, "", time_text, 2),
            C("efficiency", "", &KneePoint::efficiency).printed("efficiency", 7, "", share_text)};
}

void add_blame(Page& page, const ExplainedRun& run) {
    Bars bars{"What bound it",
              "Stretches of the critical path by what bound each of them; they add up to the whole.",
              Unit::time,
              {run.what},
              {}};
    for (const auto& [kind, seconds] : by_kind(run.blames)) {
        bars.parts.push_back({std::string(to_string(kind)), {seconds}});
    }
    page.sections.emplace_back(std::move(bars));
    page.sections.emplace_back(
        page_table("Stretch by stretch", "The hop stands for all like it.", run.blames, blame_columns(run.seconds)));
}

void add_tornado(Page& page, const Explanation& explanation) {
    Tornado tornado{"What would change it",
                    "Each bar is a run of the scenario with that one change; to the left it gets faster.",
                    Unit::share,
                    {}};
    Table failed{"Changes that cannot run", "", {{"change"}, {"why"}}, {}, true};
    for (const Counterfactual& change : explanation.changes) {
        if (change.failure.empty()) {
            tornado.bars.push_back({change.words, change.seconds / explanation.seconds - 1});
        } else {
            failed.rows.push_back({change.words, change.failure});
        }
    }
    if (!tornado.bars.empty()) { page.sections.emplace_back(std::move(tornado)); }
    if (!failed.rows.empty()) { page.sections.emplace_back(std::move(failed)); }
}

std::string knee_words(const ScalingCurve& curve) {
    if (!curve.knee) { return "No step costs a hundredth of the efficiency."; }
    const Knee& knee = *curve.knee;
    return fmt::format("It bends from {} to {} GPUs, where {} of the efficiency go into {}, {}{}.", knee.from_gpus,
                       knee.to_gpus, percent(knee.lost), to_string(knee.cause.kind), knee.cause.what,
                       knee.cause.part.empty() ? "" : " (" + knee.cause.part + ")");
}

void add_curve(Page& page, const ScalingCurve& curve) {
    if (curve.points.size() < 2) { return; }
    Line line{"efficiency", {}};
    Bars bars{"What grows", "The critical path of each size by what bound it.", Unit::time, {}, {}};
    std::map<BlameKind, std::vector<double>> parts;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        const KneePoint& point = curve.points[i];
        line.points.push_back({static_cast<double>(point.gpus), point.efficiency});
        bars.labels.push_back(fmt::format("{} GPUs", point.gpus));
        for (const auto& [kind, seconds] : by_kind(point.blames)) {
            parts.try_emplace(kind, curve.points.size(), 0.0).first->second[i] = seconds;
        }
    }
    for (const auto& [kind, values] : parts) { bars.parts.push_back({std::string(to_string(kind)), values}); }
    page.sections.emplace_back(Curves{
        "Where scaling bends", knee_words(curve), {"GPUs", Unit::count, true}, {"efficiency", Unit::share}, {line}});
    page.sections.emplace_back(std::move(bars));
}

}  // namespace

std::string blame_table(const Explanation& explanation) {
    const ExplainedRun& run = explanation.run;
    std::string out = fmt::format("# {}: {}, on {} GPUs in {}: {}{}\n# what bound it along its critical path\n",
                                  explanation.scenario, run.what, run.gpus, plural(run.nodes, "node"),
                                  time_text(run.seconds), run.by.empty() ? "" : " by engine " + run.by);
    double total = 0;
    for (const auto& [kind, seconds] : by_kind(run.blames)) {
        out += line(seconds, run.seconds, to_string(kind), "");
        total += seconds;
    }
    out += line(total, run.seconds, "in all", "");
    out += "# of it\n";
    double rest = 0;
    for (std::size_t i = 0; i < run.blames.size(); ++i) {
        const Blame& b = run.blames[i];
        if (i >= shown_entries) {
            rest += b.seconds;
            continue;
        }
        out += line(b.seconds, run.seconds, to_string(b.kind), fmt::format("{:<24}{:<18}{}", b.what, b.part, b.hop));
    }
    if (rest > 0) { out += line(rest, run.seconds, "", "all others"); }
    for (const std::string& note : run.notes) { out += "# " + note + "\n"; }
    return out;
}

std::string tornado(const Explanation& explanation) {
    if (explanation.changes.empty()) { return ""; }
    const double base = explanation.seconds;
    const double largest = std::abs(explanation.changes.front().seconds / base - 1);
    std::string out = "# what would change it\n";
    for (const Counterfactual& change : explanation.changes) {
        if (!change.failure.empty()) {
            out += "# cannot run: " + change.words + ": " + change.failure + "\n";
            continue;
        }
        const double moved = change.seconds / base - 1;
        const auto length = largest > 0 ? std::lround(bar_width * std::abs(moved) / largest) : 0;
        const std::string bar(static_cast<std::size_t>(length), '#');
        out += fmt::format("{:+7.1f} %  {:<11}{:>{}}|{:<{}} {}\n", 100 * moved, time_text(change.seconds),
                           moved < 0 ? bar : "", bar_width, moved > 0 ? bar : "", bar_width, change.words);
    }
    return out;
}

std::string curve_table(const Explanation& explanation) {
    const ScalingCurve& curve = explanation.curve;
    if (curve.points.size() < 2) { return ""; }
    const std::string out = "# scaling\n" + text_table(curve.points, curve_columns());
    if (!curve.knee) { return out + "# it bends nowhere: no doubling costs a hundredth of the efficiency\n"; }
    const Knee& knee = *curve.knee;
    return out + fmt::format("# it bends from {} to {} GPUs, by {:.1f} points of efficiency: {}, {} more\n",
                             knee.from_gpus, knee.to_gpus, 100 * knee.lost, words_of(knee.cause),
                             time_text(knee.cause.seconds));
}

Json explanation_json(const Explanation& explanation) {
    const ExplainedRun& run = explanation.run;
    Json json = {{"schema_version", 1},
                 {"program", "fabricast"},
                 {"scenario", explanation.scenario},
                 {"what", run.what},
                 {"nodes", run.nodes},
                 {"gpus", run.gpus},
                 {"time_s", run.seconds},
                 {"blame", records_json(run.blames, blame_columns(run.seconds))}};
    json["counterfactuals"] = json_list(explanation.changes, [&](const Counterfactual& change) {
        Json one = {{"name", change.name}, {"change", change.words}};
        if (change.failure.empty()) {
            one["time_s"] = change.seconds;
            one["against"] = change.seconds / explanation.seconds - 1;
        } else {
            one["failure"] = change.failure;
        }
        return one;
    });
    json["scaling"] = records_json(explanation.curve.points, curve_columns());
    if (const auto& knee = explanation.curve.knee) {
        json["knee"] = {{"from_gpus", knee->from_gpus},
                        {"to_gpus", knee->to_gpus},
                        {"efficiency_lost", knee->lost},
                        {"cause", words_of(knee->cause)},
                        {"more_s", knee->cause.seconds}};
    }
    json["notes"] = run.notes;
    return json;
}

Page explanation_page(const Scenario& scenario, const Explanation& explanation) {
    const ExplainedRun& run = explanation.run;
    Page page;
    page.title = explanation.scenario;
    page.answer = fmt::format("{} takes {} on {} GPUs", run.what, text(run.seconds, Dimension::time), run.gpus);
    if (!run.blames.empty()) {
        const Blame& first = run.blames.front();
        page.answer += fmt::format("; {} of it is {}, {}", percent(first.seconds / run.seconds), to_string(first.kind),
                                   first.what);
    }
    page.answer += ".";
    for (const Counterfactual& change : explanation.changes) {
        if (change.failure.empty() && change.seconds < explanation.seconds) {
            page.headlines.push_back(
                {"the change that gains most", percent(change.seconds / explanation.seconds - 1), change.words});
            break;
        }
    }
    if (explanation.curve.points.size() > 1) {
        page.headlines.push_back({"scaling efficiency", percent(explanation.curve.points.back().efficiency),
                                  fmt::format("against {} GPUs", explanation.curve.points.front().gpus)});
    }
    add_blame(page, run);
    add_tornado(page, explanation);
    add_curve(page, explanation.curve);
    page.notes = run.notes;
    add_provenance(page, scenario);
    return page;
}

Explanation explained(const Scenario& whole, const Catalog& catalog, std::size_t threads, const Watch& watch) {
    const Scenario scenario = single_point(whole);
    Explanation explanation;
    explanation.scenario = scenario.name;
    explanation.run = explain_run(scenario, catalog, watch);
    explanation.changes = pointing_into(scenario, [&] {
        const Fabric fabric(build(scenario, catalog));
        return counterfactuals(scenario, fabric, catalog);
    });
    const EngineTraits& engine = traits_of(scenario.engine);
    explanation.seconds =
        engine.whole_operations ? explanation.run.seconds : seconds_of(simulate(scenario, catalog, watch));
    if (!engine.whole_operations) {
        explanation.run.notes.push_back(fmt::format("changes are run by engine {} and held against its {}", engine.name,
                                                    time_text(explanation.seconds)));
    }
    run_all(explanation.changes, explanation.seconds, catalog, threads, watch);
    explanation.curve = scaling_curve(whole, catalog, threads, watch);
    return explanation;
}

}  // namespace fabricast::inline explain
