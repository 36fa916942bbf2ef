#include "validate/accuracy/intervals.hpp"

#include <fmt/format.h>

#include <bit>
#include <tuple>
#include <utility>

#include "base/percentile.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

bool counts(const ComparedRow& row, Forecast which) {
    return row.counted() && row[Forecast::publisher_out] > 0 && row.compares(which);
}

IntervalKey key_of(const ComparedRow& row) { return {row.nodes > 1, row.publisher_sibling, regime_of(row.size)}; }

// For a class without a site, the nearest class that has one: first the other sibling state, then the other scope.
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

// What nobody else measured is never known better than what others did: where few sites make it look so, the two
// classes borrow from each other and get one interval, as isotonic regression pools neighbours that are out of order.
void pool_inverted(IntervalTable& table, std::map<IntervalKey, RatioGroups>& ratios) {
    for (auto& [key, range] : table) {
        const auto other = table.find({key.between_nodes, false, key.regime});
        if (!key.sibling || other == table.end() || range.high80 <= other->second.high80) { continue; }
        RatioGroups both = ratios.at(key);
        for (const auto& [site, list] : ratios.at(other->first)) {
            both[site].insert(both[site].end(), list.begin(), list.end());
        }
        range = other->second = range_of(both);
    }
}

// Each row with the interval that all sites give to rows of its class, or those of other publishers alone.
std::vector<JudgedInterval> judged_intervals(const std::vector<ComparedRow>& rows, Forecast which,
                                             bool others_alone = true) {
    std::map<std::string, IntervalTable> tables;  // by the publisher left out
    std::vector<JudgedInterval> judged;
    for (const ComparedRow& row : rows) {
        if (!counts(row, which)) { continue; }
        const std::string without = others_alone ? row.publisher : "";
        const auto [table, added] = tables.try_emplace(without);
        if (added) { table->second = interval_table(rows, which, without); }
        const RatioRange* range = find(table->second, key_of(row));
        if (range != nullptr) { judged.push_back({&row, *range}); }
    }
    return judged;
}

// A table and a doubling of size in it. A sweep in equal steps has hundreds of rows in its last doubling, which tell of
// that table no more than the one row of a sweep by doublings.
using Doubling = std::pair<std::string, int>;
Doubling doubling_of(const ComparedRow& row) {
    return {row.table, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(row.size.count)))};
}

}  // namespace

Coverage coverage_of(const std::vector<JudgedInterval>& judged, const Selection& selection) {
    struct OfSite {
        double inside = 0, weight = 0;
        std::vector<double> widths, factors;
    };
    std::map<Doubling, double> rows_of;
    for (const auto& [row, range] : judged) { rows_of[doubling_of(*row)] += selects(selection, *row) ? 1 : 0; }
    std::map<std::string, OfSite> sites;
    for (const auto& [row, range] : judged) {
        if (!selects(selection, *row)) { continue; }
        OfSite& site = sites[row->site];
        const double weight = 1 / rows_of.at(doubling_of(*row));
        site.weight += weight;
        site.inside += range.holds(row->measured / (*row)[selection.which]) ? weight : 0;
        site.widths.push_back(range.high80 - range.low80);
        site.factors.push_back(range.high80 / range.low80);
    }
    Coverage result;
    std::vector<double> widths, factors;
    double inside = 0, count = 0;
    for (const auto& [name, site] : sites) {
        result.sites += site.inside / site.weight / static_cast<double>(sites.size());
        inside += site.inside;
        count += site.weight;
        widths.push_back(*percentile(site.widths, 50));
        factors.push_back(*percentile(site.factors, 50));
    }
    result.rows = count > 0 ? inside / count : 0;
    result.width = percentile(widths, 50).value_or(0);
    result.factor = percentile(factors, 50).value_or(1);
    return result;
}

IntervalTable interval_table(const std::vector<ComparedRow>& rows, Forecast which, const std::string& without) {
    std::map<IntervalKey, RatioGroups> ratios;
    for (const ComparedRow& row : rows) {
        if (counts(row, which) && row.publisher != without) {
            ratios[key_of(row)][row.site].push_back(row.measured / row[which]);
        }
    }
    IntervalTable table;
    for (const auto& [key, sites] : ratios) { table[key] = range_of(sites); }
    pool_inverted(table, ratios);
    return table;
}

Coverage coverage(const std::vector<ComparedRow>& rows, const Selection& selection) {
    return coverage_of(judged_intervals(rows, selection.which), selection);
}

std::vector<NamedFigure> interval_figures(const std::vector<ComparedRow>& rows) {
    const std::vector<JudgedInterval> judged = judged_intervals(rows, Forecast::publisher_out);
    const std::vector<JudgedInterval> written = judged_intervals(rows, Forecast::publisher_out, false);
    const Coverage ours = coverage_of(judged, {.which = Forecast::publisher_out});
    if (ours.width <= 0) { return {}; }
    std::vector<NamedFigure> figures{
        {"interval80_coverage_pct", 100 * ours.sites},
        {"interval80_rows_coverage_pct", 100 * ours.rows},
        {"interval80_width_pct", 100 * ours.width},
        {"interval80_null_alphabeta_width_pct", 100 * coverage(rows, {.which = Forecast::null_alphabeta}).width},
        {"interval80_null_tuning_width_pct", 100 * coverage(rows, {.which = Forecast::null_tuning}).width}};
    struct Scope {
        const char *name, *part;
        std::optional<bool> sibling;
    };
    for (const auto& [name, part, sibling] : {Scope{"inside", "inside", {}},
                                              {"between", "between", {}},
                                              {"inside_sibling", "inside", true},
                                              {"between_sibling", "between", true},
                                              {"unseen", "", false}}) {
        for (const Regime regime : all_regimes) {
            const Selection chosen{
                .which = Forecast::publisher_out, .regime = regime, .part = part, .sibling = sibling};
            const Coverage found = coverage_of(judged, chosen);
            if (found.width <= 0) { continue; }
            const std::string prefix = fmt::format("interval80_{}_{}_", name, to_string(regime));
            figures.push_back({prefix + "coverage_pct", 100 * found.rows});
            figures.push_back({prefix + "factor", found.factor, "x"});
            figures.push_back({prefix + "written_factor", coverage_of(written, chosen).factor, "x"});
        }
    }
    return figures;
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
    // Formula only means no data of the family: the interval of same-family forecasts, 1.5 times as wide in logarithms.
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
