#include "validate/accuracy/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "base/percentile.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

// Formula only means no data of the family: the interval of same-family forecasts, so much wider in logarithms.
constexpr double formula_only_power = 1.5;

bool counts(const ComparedRow& row, Forecast which) {
    return row.counted() && row[Forecast::publisher_out] > 0 && row.compares(which);
}

IntervalKey key_of(const ComparedRow& row) { return {row.nodes > 1, row.publisher_sibling, regime_of(row.size)}; }

const RatioRange* find(const IntervalTable& table, const IntervalKey& key) {
    const auto found = table.find(key);
    return found == table.end() ? nullptr : &found->second;
}

double distance_of(const ComparedRow& row, Forecast which) { return std::abs(std::log(row.measured / row[which])); }

using Tables = std::map<std::string, std::vector<double>>;  // distances
using TablesOfSites = std::map<std::string, Tables>;

// ln of half the width of a class, and how many sites' worth of data tells it.
struct Told {
    double log_half = 0, sites = 0;
};

Told told_by(const TablesOfSites& sites, bool between_nodes) {
    std::vector<WeightedDistance> rows;
    double sum = 0, squares = 0;
    for (const auto& [site, tables] : sites) {
        const double weight = between_nodes ? static_cast<double>(tables.size()) : 1;
        std::size_t size = 0;
        for (const auto& [table, distances] : tables) { size += distances.size(); }
        for (const auto& [table, distances] : tables) {
            for (const double distance : distances) { rows.push_back({distance, weight / static_cast<double>(size)}); }
        }
        sum += weight;
        squares += weight * weight;
    }
    const double groups = sum * sum / squares;  // as many sites of one weight know as much (Kish's effective size)
    return {std::log(std::max(half_width80(std::move(rows), groups), 1e-12)), groups};
}

// How much wider, in logarithms, the classes of a scope without a sibling are, by least squares over regimes; nothing
// if no regime has both.
std::optional<double> wider_without(const std::map<IntervalKey, Told>& classes, bool between_nodes) {
    double factor = 0, weights = 0;
    for (const Regime regime : all_regimes) {
        const auto with = classes.find({between_nodes, true, regime});
        const auto without = classes.find({between_nodes, false, regime});
        if (with == classes.end() || without == classes.end()) { continue; }
        const Told &a = with->second, &b = without->second;
        const double weight = a.sites * b.sites / (a.sites + b.sites);
        factor += weight * (b.log_half - a.log_half);
        weights += weight;
    }
    if (weights == 0) { return std::nullopt; }
    return std::max(factor / weights, 0.0);
}

// The classes with and without a sibling tell each other.
IntervalTable pooled(const std::map<IntervalKey, Told>& classes) {
    IntervalTable table;
    for (const auto& [key, told] : classes) {
        const std::optional<double> own = wider_without(classes, key.between_nodes);
        const double factor = own ? *own : wider_without(classes, !key.between_nodes).value_or(0);
        double log_half = (told.log_half - (key.sibling ? 0 : factor)) * told.sites, sites = told.sites;
        if (const auto other = classes.find({key.between_nodes, !key.sibling, key.regime}); other != classes.end()) {
            log_half += (other->second.log_half - (key.sibling ? factor : 0)) * other->second.sites;
            sites += other->second.sites;
        }
        for (const bool sibling : {true, false}) {
            const double half = std::exp(log_half / sites + (sibling ? 0 : factor));
            table[{key.between_nodes, sibling, key.regime}] = {std::exp(-half), std::exp(half)};
        }
    }
    return table;
}

// The most nodes that others measured on a fabric, and on any of its family ("slingshot").
using Reach = std::map<std::string, std::uint32_t, std::less<>>;
std::string family_of(const ComparedRow& row) { return row.group.fabric.substr(0, row.group.fabric.find('-')) + " *"; }

Reach reach_of(const std::vector<ComparedRow>& rows, Forecast which, const std::string& without) {
    Reach reach;
    for (const ComparedRow& row : rows) {
        if (row.nodes < 2 || row.publisher == without || !counts(row, which)) { continue; }
        for (const std::string& name : {row.group.fabric, family_of(row)}) {
            reach[name] = std::max(reach[name], row.nodes);
        }
    }
    return reach;
}

// As the evidence of a forecast weakens with its nodes (sim/plan/collectives/costs.cpp, by_reach).
std::optional<RatioRange> reaching(const IntervalTable& table, const Reach& reach, const ComparedRow& row) {
    const auto beyond = [&](const std::string& name, std::uint32_t times) {
        const auto found = reach.find(name);
        return row.nodes > 1 && row.nodes > times * (found == reach.end() ? 1 : found->second);
    };
    IntervalKey key = key_of(row);
    key.sibling = key.sibling && !beyond(row.group.fabric, 2);
    const RatioRange* range = find(table, key);
    if (range == nullptr) { return std::nullopt; }
    return range->widened(beyond(family_of(row), 8) ? formula_only_power : 1);
}

// Each row with the interval that all sites give to rows of its class, or those of other publishers alone.
std::vector<JudgedInterval> judged_intervals(const std::vector<ComparedRow>& rows, Forecast which,
                                             bool others_alone = true) {
    std::map<std::string, std::pair<IntervalTable, Reach>> others;  // by the publisher left out
    std::vector<JudgedInterval> judged;
    for (const ComparedRow& row : rows) {
        if (!counts(row, which)) { continue; }
        const std::string without = others_alone ? row.publisher : "";
        const auto [known, added] = others.try_emplace(without);
        if (added) { known->second = {interval_table(rows, which, without), reach_of(rows, which, without)}; }
        const auto& [table, reach] = known->second;
        if (const auto range = reaching(table, reach, row)) { judged.push_back({&row, *range}); }
    }
    return judged;
}

}  // namespace

IntervalTable interval_table(const std::vector<ComparedRow>& rows, Forecast which, const std::string& without) {
    std::map<IntervalKey, TablesOfSites> classes;
    for (const ComparedRow& row : rows) {
        if (!counts(row, which) || row.publisher == without) { continue; }
        classes[key_of(row)][row.site][row.table].push_back(distance_of(row, which));
    }
    std::map<IntervalKey, Told> told;
    for (const auto& [key, sites] : classes) { told[key] = told_by(sites, key.between_nodes); }
    return pooled(told);
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
    using Level = std::tuple<const char*, bool, double>;
    for (const auto& [level, sibling, power] :
         {Level{"same-system", true, 1}, {"same-family", false, 1}, {"formula-only", false, formula_only_power}}) {
        for (const bool between : {false, true}) {
            for (const Regime regime : all_regimes) {
                line(fmt::format("{}.{}.{}", level, between ? "between" : "inside", figure_suffix(regime)),
                     find(table, {between, sibling, regime}), power);
            }
        }
    }
    return filled_page("intervals.yaml", {{"figures", figures}});
}

}  // namespace fabricast::inline validate_accuracy
