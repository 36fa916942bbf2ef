#include "sim/run/explain/explanation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "base/unit_text.hpp"

namespace fabricast::inline explain {

namespace {

constexpr std::size_t shown_entries = 14;
constexpr int bar_width = 20;  // characters, of the largest change

std::string time_text(double seconds) { return text(seconds, Dimension::time); }

std::string line(double seconds, double whole, std::string_view kind, std::string_view rest) {
    const std::string text = fmt::format("{:6.1f} %  {:<11}{:<11}{}", 100 * (whole > 0 ? seconds / whole : 0),
                                         time_text(seconds), kind, rest);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string words_of(const Blame& blame) {
    return fmt::format("{}, {}{}{}", to_string(blame.kind), blame.what, blame.part.empty() ? "" : ", " + blame.part,
                       blame.hop.empty() ? "" : " (" + blame.hop + ")");
}

Json blames_json(const std::vector<Blame>& blames, double seconds) {
    Json list = Json::array();
    for (const Blame& b : blames) {
        list.push_back({{"kind", to_string(b.kind)},
                        {"what", b.what},
                        {"part", b.part},
                        {"hop", b.hop},
                        {"time_s", b.seconds},
                        {"share", seconds > 0 ? b.seconds / seconds : 0}});
    }
    return list;
}

}  // namespace

std::string blame_table(const Explanation& explanation) {
    const ExplainedRun& run = explanation.run;
    std::string out =
        fmt::format("# {}: {}, on {} GPUs in {}: {}\n# what bound it along its critical path\n", explanation.scenario,
                    run.what, run.gpus, plural(run.nodes, "node"), time_text(run.seconds));
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
    const double base = explanation.run.seconds;
    double largest = 0;
    for (const Counterfactual& change : explanation.changes) {
        largest = std::max(largest, change.failure.empty() ? std::abs(change.seconds / base - 1) : 0);
    }
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
    std::string out = "# scaling\n#   gpus  time        efficiency\n";
    for (const KneePoint& point : curve.points) {
        out += fmt::format("{:8}  {:<11}{:6.1f} %\n", point.gpus, time_text(point.seconds), 100 * point.efficiency);
    }
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
                 {"blame", blames_json(run.blames, run.seconds)}};
    Json changes = Json::array();
    for (const Counterfactual& change : explanation.changes) {
        Json one = {{"name", change.name}, {"change", change.words}};
        if (change.failure.empty()) {
            one["time_s"] = change.seconds;
            one["against"] = change.seconds / run.seconds - 1;
        } else {
            one["failure"] = change.failure;
        }
        changes.push_back(std::move(one));
    }
    json["counterfactuals"] = std::move(changes);
    Json points = Json::array();
    for (const KneePoint& point : explanation.curve.points) {
        points.push_back({{"nodes", point.nodes},
                          {"gpus", point.gpus},
                          {"time_s", point.seconds},
                          {"efficiency", point.efficiency}});
    }
    json["scaling"] = std::move(points);
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

}  // namespace fabricast::inline explain
