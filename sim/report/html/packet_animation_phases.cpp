#include "sim/report/html/packet_animation_phases.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast::inline report::html {

namespace {

constexpr std::size_t most_spans = 20'000;  // some 1.3 MB of the page

// Sorted spans, those less than `pause` apart as one.
std::vector<Span> merged(const std::vector<Span>& spans, double pause) {
    std::vector<Span> merged;
    for (const Span& span : spans) {
        if (merged.empty() || merged.back().lane != span.lane || span.from > merged.back().to + pause) {
            merged.push_back(span);
            continue;
        }
        merged.back().to = std::max(merged.back().to, span.to);
        if (merged.back().name != span.name && !merged.back().name.ends_with(" ...")) { merged.back().name += " ..."; }
    }
    return merged;
}

}  // namespace

Activity phases_of(const std::vector<TraceSpan>& trace) {
    Activity phases{"What runs on the fabric",
                    "Which communication of the step is under way, of all stages together. Zoom with Ctrl and the "
                    "wheel, down to microseconds.",
                    {},
                    {}};
    std::map<std::string, std::size_t> lanes;
    double end = 0;
    for (const TraceSpan& span : trace) {
        if (span.lane == "compute" || span.lane == "fixed" || span.finish <= span.start) { continue; }
        const auto [lane, fresh] = lanes.emplace(span.lane, phases.lanes.size());
        if (fresh) { phases.lanes.push_back(span.lane); }
        phases.spans.push_back({lane->second, span.name, to_seconds(span.start), to_seconds(span.finish)});
        end = std::max(end, to_seconds(span.finish));
    }
    std::ranges::sort(phases.spans, {}, [](const Span& span) { return std::pair(span.lane, span.from); });
    std::vector<Span> shown = merged(phases.spans, 0);
    for (double pause = end / 1e6; shown.size() > most_spans; pause *= 2) { shown = merged(phases.spans, pause); }
    phases.spans = std::move(shown);
    return phases;
}

std::string running_at(const Activity& phases, Time begin, Time end) {
    std::vector<bool> running(phases.lanes.size(), false);
    for (const Span& span : phases.spans) {
        if (span.from < to_seconds(end) && span.to > to_seconds(begin)) { running[span.lane] = true; }
    }
    std::string text;
    for (std::size_t lane = 0; lane < running.size(); ++lane) {
        text += running[lane] ? ", " + phases.lanes[lane] : "";
    }
    return text;
}

}  // namespace fabricast::inline report::html
