#include "discovery/site/forecasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"

namespace fabricast::inline site {

std::optional<double> Forecasts::busbw(const std::string& cluster, const std::string& collective,
                                       const std::string& event) {
    const std::string text =
        fmt::format("name: cost\ncluster:\n{}workload: {{kind: collective, collective: {}, sizes: [1 GiB]}}\n{}",
                    cluster, collective, event);
    const auto known = known_.find(text);
    if (known != known_.end()) { return known->second; }
    std::optional<double> found;
    try {
        const Report report = simulate(parse_scenario(text, "cost.yaml"), catalog_);
        if (!report.rows.empty()) { found = report.rows.front().busbw; }
    } catch (const Error&) { found.reset(); }
    return known_[text] = found;
}

Compared Forecasts::compare(const std::string& collective, const std::string& where, const std::string& without,
                            const std::string& with, const std::string& event) {
    const std::optional<double> whole = busbw(without, collective), faulty = busbw(with, collective, event);
    if (!whole || !faulty) { return {}; }
    return {fmt::format("{} at 1 GiB{}: {} -> {}", collective, where, base::text(*whole, Dimension::rate),
                        base::text(*faulty, Dimension::rate)),
            std::abs(*whole - *faulty) > 0.001 * std::max(*whole, *faulty)};
}

std::string told(const std::vector<Compared>& jobs, const std::string& why) {
    std::string text;
    for (const Compared& job : jobs) { text += (text.empty() || job.text.empty() ? "" : "; ") + job.text; }
    if (text.empty()) { return "unknown: no forecast can be made of this cluster"; }
    return std::ranges::any_of(jobs, &Compared::differs) ? text : text + "; nothing: " + why;
}

}  // namespace fabricast::inline site
