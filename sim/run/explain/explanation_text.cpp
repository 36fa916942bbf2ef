#include "sim/run/explain/explanation_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/unit_text.hpp"

namespace fabricast {

namespace {

constexpr std::size_t shown_entries = 14;
constexpr double bar_width = 20;  // characters, of the largest change

std::string pad(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string percent(const char* pattern, double share) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), pattern, 100 * share);
    return text.data();
}

std::string line(double seconds, double whole, const std::string& kind, const std::string& rest) {
    const std::string text = percent("%6.1f %%", whole > 0 ? seconds / whole : 0) + "  " +
                             pad(fabricast::text(seconds, Dimension::time), 11) + pad(kind, 11) + rest;
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string words_of(const Blame& blame) {
    return std::string(to_string(blame.kind)) + ", " + blame.what + (blame.part.empty() ? "" : ", " + blame.part) +
           (blame.hop.empty() ? "" : " (" + blame.hop + ")");
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
    std::string out = "# " + explanation.scenario + ": " + run.what + ", on " + std::to_string(run.gpus) + " GPUs in " +
                      std::to_string(run.nodes) + (run.nodes == 1 ? " node" : " nodes") + ": " +
                      text(run.seconds, Dimension::time) + "\n# what bound it along its critical path\n";
    double total = 0;
    for (const auto& [kind, seconds] : by_kind(run.blames)) {
        out += line(seconds, run.seconds, std::string(to_string(kind)), "");
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
        out += line(b.seconds, run.seconds, std::string(to_string(b.kind)), pad(b.what, 24) + pad(b.part, 18) + b.hop);
    }
    if (rest > 0) {
        out += line(rest, run.seconds, "", "all others");
    }
    for (const std::string& note : run.notes) {
        out += "# " + note + "\n";
    }
    return out;
}

std::string tornado(const Explanation& explanation) {
    if (explanation.changes.empty()) {
        return "";
    }
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
        const auto bar = static_cast<std::size_t>(largest > 0 ? std::lround(bar_width * std::abs(moved) / largest) : 0);
        const std::string left = moved < 0 ? std::string(bar, '#') : "";
        const std::string right = moved > 0 ? std::string(bar, '#') : "";
        const std::string text = percent("%+7.1f %%", moved) + "  " +
                                 pad(fabricast::text(change.seconds, Dimension::time), 11) +
                                 std::string(static_cast<std::size_t>(bar_width) - left.size(), ' ') + left + "|" +
                                 pad(right, static_cast<std::size_t>(bar_width) + 1) + change.words;
        out += text + "\n";
    }
    return out;
}

std::string curve_table(const Explanation& explanation) {
    const ScalingCurve& curve = explanation.curve;
    if (curve.points.size() < 2) {
        return "";
    }
    std::string out = "# scaling\n#   gpus  time        efficiency\n";
    for (const KneePoint& point : curve.points) {
        std::array<char, 16> gpus{};
        std::snprintf(gpus.data(), gpus.size(), "%8u  ", point.gpus);
        out +=
            gpus.data() + pad(text(point.seconds, Dimension::time), 11) + percent("%6.1f %%", point.efficiency) + "\n";
    }
    if (!curve.knee) {
        return out + "# it bends nowhere: no doubling costs a hundredth of the efficiency\n";
    }
    const Knee& knee = *curve.knee;
    return out + "# it bends from " + std::to_string(knee.from_gpus) + " to " + std::to_string(knee.to_gpus) +
           " GPUs, by " + percent("%.1f", knee.lost) + " points of efficiency: " + words_of(knee.cause) + ", " +
           text(knee.cause.seconds, Dimension::time) + " more\n";
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

}  // namespace fabricast
