#include "validate/training/training_intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "validate/score/page.hpp"

namespace fabricast::inline validate_training {

namespace {

constexpr std::array<Evidence, 3> ratings = {Evidence::same_gpu_era_fabric, Evidence::same_family,
                                             Evidence::formula_only};

// A row with a left-out forecast. `evidence` is rated by what the other families contain.
struct Judged {
    const TrainingForecast* forecast;
    Evidence evidence;
    double ratio;   // measured / left-out forecast
    double untold;  // spread of ln(ratio) that the figures make which only this family's tables tell

    // What is left of the ratio's distance from 1 beside that spread.
    double unexplained() const {
        const double distance = std::log(ratio);
        return std::exp(std::sqrt(std::max(0.0, distance * distance - untold * untold)));
    }
    bool inside(const RatioRange& range) const {
        return RatioRange{widened(range.low80, untold), widened(range.high80, untold)}.holds(ratio);
    }
};

std::vector<Judged> judged_rows(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog) {
    std::map<std::string, AspectsMet> met;
    std::vector<Judged> list;
    std::vector<std::string> notes;
    for (const TrainingForecast& f : forecasts) {
        if (!f.compared() || !(f.family_out_s > 0)) { continue; }
        const auto [found, fresh] = met.try_emplace(f.table->family);
        if (fresh) { found->second = aspects_of(forecasts, f.table->family); }
        list.push_back({&f,
                        evidence_of_aspects(f.aspects, {static_cast<double>(f.step.gpus), f.sequence}, found->second,
                                            catalog, notes),
                        f.measured_s / f.family_out_s, untold_spread(f.spreads, found->second)});
    }
    return list;
}

TrainingRanges ranges_of(const std::vector<Judged>& rows, const std::string& without) {
    std::map<Evidence, RatioGroups> groups;  // by table
    RatioGroups everything;
    for (const Judged& row : rows) {
        const TrainingTable& table = *row.forecast->table;
        if (table.family != without) {
            groups[row.evidence][table.id].push_back(row.unexplained());
            everything[table.id].push_back(row.unexplained());
        }
    }
    TrainingRanges ranges;
    RatioRange last;
    for (const Evidence rating : ratings) {
        const auto found = groups.find(rating);
        RatioRange range = found != groups.end() ? range_of(found->second)
                           : last.high80 > 1     ? last.widened(1.5)
                           : !everything.empty() ? range_of(everything)
                                                 : RatioRange{};
        range = {std::min(range.low80, last.low80), std::max(range.high80, last.high80)};
        ranges[rating] = last = range;
    }
    return ranges;
}

}  // namespace

AspectsMet aspects_of(const std::vector<TrainingForecast>& forecasts, const std::string& without) {
    AspectsMet met;
    for (const TrainingForecast& f : forecasts) {
        if (f.counts() && f.table->family != without) {
            for (const std::string& aspect : f.aspects) {
                met[aspect] = std::max<double>(met[aspect], f.step.gpus);
                if (aspect.starts_with("gpu.") && f.sequence > 0) {
                    double& longest = met[sequence_aspect(aspect)];
                    longest = std::max(longest, f.sequence);
                }
            }
        }
    }
    return met;
}

TrainingRanges training_ranges(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog) {
    return ranges_of(judged_rows(forecasts, catalog), "");
}

TrainingCoverage training_coverage(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog) {
    const std::vector<Judged> rows = judged_rows(forecasts, catalog);
    std::map<std::string, TrainingRanges> without;
    TrainingCoverage out;
    for (const Judged& row : rows) {
        const TrainingTable& table = *row.forecast->table;
        const auto [found, fresh] = without.try_emplace(table.family);
        if (fresh) { found->second = ranges_of(rows, table.family); }
        const bool in = row.inside(found->second.at(row.evidence));
        out.all.add(in);
        if (row.forecast->counts()) {
            out.families[table.family].add(in);
            out.tables[table.id].add(in);
        }
    }
    return out;
}

std::vector<NamedFigure> TrainingCoverage::figures() const {
    if (families.empty()) { return {}; }
    InsideCount counted;
    double lowest = 100, by_table = 0;
    for (const auto& [name, family] : families) {
        counted.rows += family.rows;
        counted.inside += family.inside;
        lowest = std::min(lowest, family.pct());
    }
    for (const auto& [name, table] : tables) { by_table += table.pct() / static_cast<double>(tables.size()); }
    return {{"train_interval80_coverage_pct", counted.pct(), "%"},
            {"train_interval80_table_coverage_pct", by_table, "%"},
            {"train_interval80_family_lowest_coverage_pct", lowest, "%"},
            {"train_all_interval80_coverage_pct", all.pct(), "%"}};
}

std::string TrainingCoverage::lines() const {
    std::string lines;
    for (const auto& [name, family] : families) {
        lines += markdown_row({name, fmt::format("{:.0f}", family.rows), fmt::format("{:.1f}", family.pct())});
    }
    return lines;
}

std::string training_intervals_yaml(const AspectsMet& met, const TrainingRanges& ranges) {
    std::string aspects;
    for (const auto& [aspect, gpus] : met) { aspects += fmt::format("    {}: {:.0f}\n", aspect, gpus); }
    std::string intervals;
    constexpr std::array<const char*, 3> names = {"same-system", "same-family", "formula-only"};
    for (std::size_t i = 0; i < ratings.size(); ++i) {
        const RatioRange& range = ranges.at(ratings[i]);
        intervals +=
            fmt::format("    {}: {{value: 1, low80: {:.3f}, high80: {:.3f}}}\n", names[i], range.low80, range.high80);
    }
    return filled_page("training_intervals.yaml", {{"aspects", aspects}, {"intervals", intervals}});
}

}  // namespace fabricast::inline validate_training
