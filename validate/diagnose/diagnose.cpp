#include "validate/diagnose/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/collectives/plan.hpp"
#include "sim/scenario/build.hpp"
#include "validate/diagnose/sensitivity.hpp"

namespace fabricast {
namespace {

// A healthy log's distance lies below this in 19 of 20: the Wilson-Hilferty approximation of the chi-squared quantile.
double healthy_limit(std::size_t rows) {
    const auto n = static_cast<double>(rows);
    const double third = 1 - 2 / (9 * n) + 1.645 * std::sqrt(2 / (9 * n));
    return n * third * third * third;
}

// A cause must be likelier than health by so much (minus twice the logarithm); a log that looks healthy asks for more.
constexpr double better_if_healthy = 8;
constexpr double better_if_not = 4;
// Beyond so many times a healthy log's distance even the best cause does not fit.
constexpr double fits = 1.6;
// A cause that moves no size by so much would not show.
constexpr double shows = 0.03;
// Two causes whose curves differ by less in every size: the log cannot tell them apart.
constexpr double same = 0.03;

double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ratios.push_back(a[i] / b[i]);
    }
    return percentile(ratios, 50).value_or(1);
}

bool differ(const std::vector<double>& with, const std::vector<double>& without, double by) {
    for (std::size_t i = 0; i < with.size(); ++i) {
        if (std::abs(with[i] / without[i] - 1) > by) {
            return true;
        }
    }
    return false;
}

// Faster than expected in the middle of its sizes: no fault, whatever its shape.
bool is_fast(const Diagnosis& d) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
        ratios.push_back(d.rows[i].seconds / d.healthy[i].seconds);
    }
    return percentile(ratios, 50).value_or(1) < 1 && percentile(ratios, 90).value_or(1) < 1.15;
}

Finding verdict_of(const Diagnosis& d) {
    const bool looks_healthy = d.healthy_fit.distance <= d.healthy_limit || is_fast(d);
    const double better = d.ranked.empty() ? 0 : d.healthy_fit.cost - d.ranked.front().fit.cost;
    if (looks_healthy) {
        return better >= better_if_healthy ? Finding::likely_cause : Finding::nothing_wrong;
    }
    const bool explained = !d.ranked.empty() && d.ranked.front().fit.distance <= fits * d.healthy_limit;
    return better >= better_if_not && explained ? Finding::likely_cause : Finding::none_fits;
}

// The causes behind the first whose curves are the same as its.
void find_alike(std::vector<RankedCause>& ranked) {
    for (RankedCause& a : ranked) {
        for (const RankedCause& b : ranked) {
            if (a.cause != b.cause && !differ(a.seconds, b.seconds, same)) {
                a.alike.push_back(b.cause);
            }
        }
    }
}

// Whether a cause leaves the healthy system's constants in force, so that it shares their uncertainty.
bool keeps_constants(const Suspect& healthy, const Suspect& suspect) {
    return healthy.scenario.library.transport == suspect.scenario.library.transport &&
           healthy.scenario.launch.mode == suspect.scenario.launch.mode &&
           healthy.cluster.node.gpu_direct == suspect.cluster.node.gpu_direct &&
           healthy.cluster.node.peer_to_peer == suspect.cluster.node.peer_to_peer;
}

}  // namespace

Diagnosis diagnose(const Scenario& scenario, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    Diagnosis d;
    d.rows = rows;
    const Suspect healthy{scenario, build(scenario, catalog)};
    const UncertainCurve expected = uncertain_curve(healthy, rows, catalog);
    const Fabric fabric(healthy.cluster);
    const CurveForecaster forecaster(healthy.scenario, fabric, catalog);
    Evidence evidence = Evidence::measured_here;
    for (const TimedRow& row : rows) {
        d.healthy.push_back(forecaster.at(row.size));
        evidence = std::max(evidence, d.healthy.back().evidence);
    }
    d.healthy_fit = misfit(rows, expected.seconds, expected.constants, evidence);
    d.healthy_limit = healthy_limit(rows.size());
    for (const Cause& cause : causes()) {
        Suspect suspect = healthy;
        if (!cause.apply(suspect)) {
            continue;
        }
        try {
            const UncertainCurve with = keeps_constants(healthy, suspect)
                                            ? UncertainCurve{curve(suspect, rows, catalog), expected.constants}
                                            : uncertain_curve(suspect, rows, catalog);
            if (!differ(with.seconds, expected.seconds, shows)) {
                d.unseen.emplace_back(cause.words);
                continue;
            }
            d.ranked.push_back({&cause,
                                misfit(rows, with.seconds, with.constants, evidence),
                                median_ratio(with.seconds, expected.seconds),
                                with.seconds,
                                {}});
        } catch (const PlanError&) {
            // Such a system runs no collective at all: not what was measured.
        } catch (const ClusterError&) {
        } catch (const Unreachable&) {
        }
    }
    std::ranges::stable_sort(d.ranked, {}, [](const RankedCause& r) { return r.fit.cost; });
    find_alike(d.ranked);
    d.verdict = verdict_of(d);
    return d;
}

namespace {

std::string numbers(const Misfit& fit, double limit) {
    return fmt::format("distance {:.0f}, where a healthy log has up to {:.0f}", fit.distance, limit);
}

std::string verdict_text(const Diagnosis& d) {
    const std::string health = numbers(d.healthy_fit, d.healthy_limit);
    if (d.verdict == Finding::nothing_wrong) {
        return "nothing wrong: the curve is what such a system does (" + health + ")\n";
    }
    if (d.verdict == Finding::none_fits) {
        return "none of my causes fits: the curve is not what such a system does (" + health +
               "), and nothing that I can simulate explains it\n";
    }
    const RankedCause& first = d.ranked.front();
    std::string text = "likely: " + std::string(first.cause->words) + "\n";
    for (const Cause* alike : first.alike) {
        text += "    or: " + std::string(alike->words) + ", which this curve cannot tell from it\n";
    }
    return text + "        (" + health + "; with this cause " + fmt::format("{:.0f}", first.fit.distance) + ")\n";
}

}  // namespace

std::string to_text(const Diagnosis& d, const std::string& id, const std::vector<std::string>& assumptions) {
    std::string out = id + "\n\nassumptions\n";
    for (const std::string& assumption : assumptions) {
        out += "  " + assumption + "\n";
    }
    out += fmt::format("\n{:>12} {:>12} {:>12} {:>9} {:>20}  {}\n", "size (B)", "measured", "expected", "residual",
                       "80 % interval", "");
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
        const ForecastRow& row = d.healthy[i];
        const double measured = d.rows[i].seconds;
        const char* mark = measured > row.high80 ? "slow" : measured < row.low80 ? "fast" : "";
        out += fmt::format("{:>12} {:>12} {:>12} {:>+8.0f}% {:>20}  {}\n", d.rows[i].size.count, time_label(measured),
                           time_label(row.seconds), 100 * (measured / row.seconds - 1),
                           time_label(row.low80) + " to " + time_label(row.high80), mark);
    }
    out += "\n" + verdict_text(d);
    constexpr std::size_t shown_causes = 5;
    if (!d.ranked.empty()) {
        out += fmt::format(
            "\ncauses, simulated, by how likely each makes the curve (difference to a healthy system's; below 0: "
            "likelier)\n");
    }
    for (std::size_t i = 0; i < std::min(shown_causes, d.ranked.size()); ++i) {
        const RankedCause& r = d.ranked[i];
        out += fmt::format("  {:>+8.1f}  {} (x{:.2f}); see {}\n", r.fit.cost - d.healthy_fit.cost, r.cause->words,
                           r.slowdown, r.cause->check);
    }
    if (!d.unseen.empty()) {
        out += "\nwould not show in this curve\n";
        for (const std::string& cause : d.unseen) {
            out += "  " + cause + "\n";
        }
    }
    return out;
}

Json to_json(const Diagnosis& d, const std::string& id) {
    constexpr const char* verdicts[] = {"nothing wrong", "likely cause", "none of my causes fits"};
    Json json{{"schema_version", 1},
              {"id", id},
              {"verdict", verdicts[static_cast<std::size_t>(d.verdict)]},
              {"distance", d.healthy_fit.distance},
              {"distance_of_healthy_logs", d.healthy_limit}};
    json["rows"] = Json::array();
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
        json["rows"].push_back({{"size_bytes", d.rows[i].size.count},
                                {"measured_s", d.rows[i].seconds},
                                {"time_s", d.healthy[i].seconds},
                                {"time_low80_s", d.healthy[i].low80},
                                {"time_high80_s", d.healthy[i].high80}});
    }
    json["causes"] = Json::array();
    for (const RankedCause& r : d.ranked) {
        json["causes"].push_back({{"cause", r.cause->name},
                                  {"cost_over_healthy", r.fit.cost - d.healthy_fit.cost},
                                  {"distance", r.fit.distance},
                                  {"slowdown", r.slowdown}});
    }
    return json;
}

}  // namespace fabricast
