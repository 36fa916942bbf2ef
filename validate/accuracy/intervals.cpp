#include "validate/accuracy/intervals.hpp"

#include <fmt/format.h>

#include <tuple>

#include "base/percentile.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

bool counts(const ComparedRow& row, Forecast which) {
    return row.counted() && row[Forecast::publisher_out] > 0 && row.compares(which);
}

IntervalKey key_of(const ComparedRow& row) { return {row.nodes > 1, row.publisher_sibling, regime_of(row.size)}; }

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

IntervalTable interval_table(const std::vector<ComparedRow>& rows, Forecast which, const std::string& without) {
    std::map<IntervalKey, RatioGroups> ratios;
    for (const ComparedRow& row : rows) {
        if (counts(row, which) && row.publisher != without) {
            ratios[key_of(row)][row.site].push_back(row.measured / row[which]);
        }
    }
    IntervalTable table;
    for (const auto& [key, sites] : ratios) { table[key] = range_of(sites); }
    return table;
}

Coverage coverage(const std::vector<ComparedRow>& rows, Forecast which) {
    std::map<std::string, std::vector<const ComparedRow*>> sites;
    for (const ComparedRow& row : rows) {
        if (counts(row, which)) { sites[row.site].push_back(&row); }
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
        for (const ComparedRow* row : list) {
            const RatioRange* range = find(table, key_of(*row));
            const double ratio = row->measured / (*row)[which];
            if (range != nullptr) {
                inside += range->holds(ratio) ? 1 : 0;
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
    if (shares.empty()) { return result; }
    for (const double share : shares) { result.sites += share / static_cast<double>(shares.size()); }
    result.rows = inside_all / count_all;
    result.width = *percentile(widths, 50);
    return result;
}

std::vector<NamedFigure> interval_figures(const std::vector<ComparedRow>& rows) {
    const Coverage ours = coverage(rows, Forecast::publisher_out);
    if (ours.width <= 0) { return {}; }
    return {{"interval80_coverage_pct", 100 * ours.sites},
            {"interval80_rows_coverage_pct", 100 * ours.rows},
            {"interval80_width_pct", 100 * ours.width},
            {"interval80_null_alphabeta_width_pct", 100 * coverage(rows, Forecast::null_alphabeta).width},
            {"interval80_null_tuning_width_pct", 100 * coverage(rows, Forecast::null_tuning).width}};
}

std::string intervals_yaml(const IntervalTable& table, const Part& held) {
    std::string figures;
    const auto line = [&](const std::string& name, const RatioRange* range, double power) {
        const Figure& kept = held.figure(name);
        const RatioRange written = range == nullptr ? RatioRange{kept.low80, kept.high80} : range->widened(power);
        figures +=
            fmt::format("    {}: {{value: 1, low80: {:.3f}, high80: {:.3f}}}\n", name, written.low80, written.high80);
    };
    for (const Regime regime : all_regimes) {
        line(fmt::format("measured-here.{}", figure_suffix(regime)), nullptr, 1);
    }
    // Formula only means no data of the family at all. The interval is that of same-family forecasts, 1.5 times as wide
    // in logarithms.
    using Level = std::tuple<const char*, bool, double>;
    for (const auto& [level, sibling, power] :
         {Level{"same-system", true, 1}, {"same-family", false, 1}, {"formula-only", false, 1.5}}) {
        for (const bool between : {false, true}) {
            for (const Regime regime : all_regimes) {
                line(fmt::format("{}.{}.{}", level, between ? "between" : "inside", figure_suffix(regime)),
                     table.empty() ? nullptr : find(table, {between, sibling, regime}), power);
            }
        }
    }
    return filled_page("intervals.yaml", {{"figures", figures}});
}

}  // namespace fabricast::inline validate_accuracy
