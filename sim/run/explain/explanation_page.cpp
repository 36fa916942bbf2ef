#include "sim/run/explain/explanation_page.hpp"

#include <fmt/format.h>

#include <map>

#include "base/unit_text.hpp"
#include "sim/report/html/run_page.hpp"

namespace fabricast::inline explain {

using namespace html;

namespace {

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
    Table table{"Stretch by stretch",
                "The hop stands for all like it.",
                {{"kind"}, {"what"}, {"part"}, {"hop"}, {"time", Unit::time}, {"share", Unit::share}},
                {}};
    for (const Blame& b : run.blames) {
        table.rows.push_back(
            {std::string(to_string(b.kind)), b.what, b.part, b.hop, b.seconds, b.seconds / run.seconds});
    }
    page.sections.emplace_back(std::move(table));
}

void add_tornado(Page& page, const Explanation& explanation) {
    Tornado tornado{"What would change it",
                    "Each bar is a run of the scenario with that one change; to the left it gets faster.",
                    Unit::share,
                    {}};
    Table failed{"Changes that cannot run", "", {{"change"}, {"why"}}, {}, true};
    for (const Counterfactual& change : explanation.changes) {
        if (change.failure.empty()) {
            tornado.bars.push_back({change.words, change.seconds / explanation.run.seconds - 1});
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
        if (change.failure.empty() && change.seconds < run.seconds) {
            page.headlines.push_back(
                {"the change that gains most", percent(change.seconds / run.seconds - 1), change.words});
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

}  // namespace fabricast::inline explain
