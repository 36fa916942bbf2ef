#include "validate/accuracy/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/percentile.hpp"

namespace fabricast {
namespace {

constexpr double z90 = 1.2815515655;  // 90 % quantile of the normal distribution

struct Weighted {
    double distance = 0, weight = 1;  // |ln(measured / forecast)|
};

// 90 % quantile of Student's t: exact for 1 and 2 degrees of freedom, by the Cornish-Fisher expansion above
// (Abramowitz and Stegun, 26.7.5; within 0.1 %).
double t90(double freedom) {
    if (freedom < 1.5) {
        return 3.0776835;
    }
    if (freedom < 2.5) {
        return 1.8856181;
    }
    const double z = z90, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

bool counts(const AccuracyRow& row, Forecast which) {
    return row.used == "yes" && row.publisher_out.has_value() && row.measured > 0 && forecast(row, which) > 0;
}

IntervalKey key_of(const AccuracyRow& row) { return {row.nodes > 1, row.publisher_sibling, regime_of(row.size)}; }

// For a class without any site, takes the nearest class that has one: first the other sibling state, then the other
// scope.
const RatioRange* find(const IntervalTable& table, const IntervalKey& key) {
    for (const bool scope : {key.between_nodes, !key.between_nodes}) {
        for (const bool sibling : {key.sibling, !key.sibling}) {
            if (const auto found = table.find({scope, sibling, key.regime}); found != table.end()) {
                return &found->second;
            }
        }
    }
    return nullptr;
}

}  // namespace

RatioRange range_of(const std::map<std::string, std::vector<double>>& sites) {
    std::vector<Weighted> points;
    for (const auto& [site, ratios] : sites) {
        for (const double ratio : ratios) {
            points.push_back({std::abs(std::log(ratio)), 1 / static_cast<double>(ratios.size())});
        }
    }
    std::ranges::sort(points, {}, &Weighted::distance);
    const auto m = static_cast<double>(sites.size());
    double within = 0;
    double distance = points.back().distance;
    for (const Weighted& point : points) {
        within += point.weight;
        if (within >= 0.8 * m * (1 - 1e-12)) {
            distance = point.distance;
            break;
        }
    }
    const double half = distance * t90(std::max(m - 1, 1.0)) / z90;
    return {std::exp(-half), std::exp(half)};
}

IntervalTable interval_table(const std::vector<AccuracyRow>& rows, Forecast which, const std::string& without) {
    std::map<IntervalKey, std::map<std::string, std::vector<double>>> ratios;
    for (const AccuracyRow& row : rows) {
        if (counts(row, which) && row.publisher != without) {
            ratios[key_of(row)][row.site].push_back(row.measured / forecast(row, which));
        }
    }
    IntervalTable table;
    for (const auto& [key, sites] : ratios) {
        table[key] = range_of(sites);
    }
    return table;
}

RatioRange paired_range(const std::vector<std::vector<double>>& groups) {
    std::vector<std::pair<double, double>> points;  // ratio of two values, weight
    double all = 0;
    for (const std::vector<double>& ratios : groups) {
        const auto n = static_cast<double>(ratios.size());
        for (std::size_t i = 0; i < ratios.size(); ++i) {
            for (std::size_t j = 0; j < ratios.size(); ++j) {
                if (i != j) {
                    points.emplace_back(ratios[i] / ratios[j], 1 / (n * (n - 1)));
                }
            }
        }
        all += ratios.size() > 1 ? 1 : 0;
    }
    std::sort(points.begin(), points.end());
    double below = 0;
    for (const auto& [ratio, weight] : points) {
        below += weight;
        if (below >= 0.1 * all - 1e-9) {
            return {ratio, 1 / ratio};  // every pair is in the list in both orders
        }
    }
    return {};
}

std::map<Regime, RatioRange> paired_ranges(const std::vector<AccuracyRow>& rows) {
    std::map<Regime, std::map<std::string, std::map<std::string, std::vector<double>>>> ratios;
    for (const AccuracyRow& row : rows) {
        if (counts(row, Forecast::publisher_out)) {
            ratios[regime_of(row.size)][row.site][row.dataset].push_back(row.measured / *row.publisher_out);
        }
    }
    std::map<Regime, RatioRange> ranges;
    for (const auto& [regime, sites] : ratios) {
        std::vector<std::vector<double>> groups;
        for (const auto& [site, tables] : sites) {
            std::vector<double>& medians = groups.emplace_back();
            for (const auto& [table, list] : tables) {
                medians.push_back(*percentile(list, 50));
            }
        }
        ranges[regime] = paired_range(groups);
    }
    return ranges;
}

Coverage coverage(const std::vector<AccuracyRow>& rows, Forecast which) {
    std::map<std::string, std::vector<const AccuracyRow*>> sites;
    for (const AccuracyRow& row : rows) {
        if (counts(row, which)) {
            sites[row.site].push_back(&row);
        }
    }
    Coverage result;
    std::vector<double> shares;
    std::vector<double> widths;
    double inside_all = 0;
    double count_all = 0;
    for (const auto& [site, list] : sites) {
        const IntervalTable table = interval_table(rows, which, list.front()->publisher);
        double inside = 0;
        std::vector<double> width;
        for (const AccuracyRow* row : list) {
            const RatioRange* range = find(table, key_of(*row));
            const double ratio = row->measured / forecast(*row, which);
            if (range != nullptr) {
                inside += ratio >= range->low80 && ratio <= range->high80 ? 1 : 0;
                width.push_back(range->high80 - range->low80);
            }
        }
        if (!width.empty()) {
            shares.push_back(inside / static_cast<double>(width.size()));
            widths.push_back(*percentile(width, 50));
            inside_all += inside;
            count_all += static_cast<double>(width.size());
        }
    }
    if (shares.empty()) {
        return result;
    }
    for (const double share : shares) {
        result.sites += share / static_cast<double>(shares.size());
    }
    result.rows = inside_all / count_all;
    result.width = *percentile(widths, 50);
    return result;
}

std::vector<NamedFigure> interval_figures(const std::vector<AccuracyRow>& rows) {
    const Coverage ours = coverage(rows, Forecast::publisher_out);
    if (ours.width <= 0) {
        return {};
    }
    return {{"interval80_coverage_pct", 100 * ours.sites},
            {"interval80_rows_coverage_pct", 100 * ours.rows},
            {"interval80_width_pct", 100 * ours.width},
            {"interval80_null_alphabeta_width_pct", 100 * coverage(rows, Forecast::null_alphabeta).width},
            {"interval80_null_tuning_width_pct", 100 * coverage(rows, Forecast::null_tuning).width}};
}

std::string intervals_yaml(const IntervalTable& table, const Part& held) {
    constexpr const char* regimes[] = {"small", "middle", "large"};
    std::string yaml =
        "# 80 % intervals of measured / forecast time, by what a forecast rests on, by whether its bytes stay inside "
        "one "
        "node\n"
        "# or go between nodes, and by size (below 64 KiB, below 16 MiB, above). Written by `./dev accuracy --loso` "
        "from "
        "sites\n"
        "# of publishers that the fit behind their forecast never saw; a calibration lays its own over "
        "`measured-here`.\n"
        "forecast-intervals:\n  kind: interval\n"
        "  note: \"How far forecasts were from measurements that their constants were not fitted to.\"\n  origin: "
        "fitted\n"
        "  source: \"forecasts of left-out publishers: docs/accuracy.csv\"\n  figures:\n";
    const auto line = [&](const std::string& name, const RatioRange* range, double power) {
        const Figure& kept = held.figure(name);
        const RatioRange written = range == nullptr
                                       ? RatioRange{kept.low80, kept.high80}
                                       : RatioRange{std::pow(range->low80, power), std::pow(range->high80, power)};
        yaml +=
            fmt::format("    {}: {{value: 1, low80: {:.3f}, high80: {:.3f}}}\n", name, written.low80, written.high80);
    };
    for (const Regime regime : all_regimes) {
        line(std::string("measured-here.") + regimes[static_cast<std::size_t>(regime)], nullptr, 1);
    }
    // Formula only means no data of the family at all. The interval is that of same-family forecasts, 1.5 times as wide
    // in logarithms.
    struct Level {
        const char* name;
        bool sibling;
        double power;
    };
    for (const Level& level :
         {Level{"same-system", true, 1}, {"same-family", false, 1}, {"formula-only", false, 1.5}}) {
        for (const bool between : {false, true}) {
            for (const Regime regime : all_regimes) {
                line(fmt::format("{}.{}.{}", level.name, between ? "between" : "inside",
                                 regimes[static_cast<std::size_t>(regime)]),
                     table.empty() ? nullptr : find(table, {between, level.sibling, regime}), level.power);
            }
        }
    }
    return yaml;
}

}  // namespace fabricast
