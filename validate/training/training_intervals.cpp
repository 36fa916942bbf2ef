#include "validate/training/training_intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {

namespace {

constexpr std::array<Evidence, 3> ratings = {Evidence::same_gpu_era_fabric, Evidence::same_family,
                                             Evidence::formula_only};

// A row with a left-out forecast. `evidence` is rated by what the other families contain.
struct Judged {
    const TrainingForecast* forecast;
    Evidence evidence;
    double ratio;  // measured / left-out forecast
};

std::vector<Judged> judged_rows(const std::vector<TrainingTable>& tables,
                                const std::vector<TrainingForecast>& forecasts, const Catalog& catalog) {
    std::map<std::string, AspectsMet> met;
    std::vector<Judged> list;
    std::vector<std::string> notes;
    for (const TrainingForecast& f : forecasts) {
        if (!f.compared() || !(f.family_out_s > 0)) {
            continue;
        }
        const std::string& family = tables[f.table].family;
        const auto [found, fresh] = met.try_emplace(family);
        if (fresh) {
            found->second = aspects_of(tables, forecasts, family);
        }
        list.push_back({&f, evidence_of_aspects(f.aspects, f.step.gpus, found->second, catalog, notes),
                        f.measured_s / f.family_out_s});
    }
    return list;
}

TrainingRanges ranges_of(const std::vector<TrainingTable>& tables, const std::vector<Judged>& rows,
                         const std::string& without) {
    std::map<Evidence, std::map<std::string, std::vector<double>>> groups;  // by table
    std::map<std::string, std::vector<double>> everything;
    for (const Judged& row : rows) {
        const TrainingTable& table = tables[row.forecast->table];
        if (table.family != without) {
            groups[row.evidence][table.id].push_back(row.ratio);
            everything[table.id].push_back(row.ratio);
        }
    }
    TrainingRanges ranges;
    RatioRange last;
    for (const Evidence rating : ratings) {
        const auto found = groups.find(rating);
        RatioRange range = found != groups.end() ? range_of(found->second)
                           : last.high80 > 1     ? RatioRange{std::pow(last.low80, 1.5), std::pow(last.high80, 1.5)}
                           : !everything.empty() ? range_of(everything)
                                                 : RatioRange{};
        range = {std::min(range.low80, last.low80), std::max(range.high80, last.high80)};
        ranges[rating] = last = range;
    }
    return ranges;
}

}  // namespace

AspectsMet aspects_of(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                      const std::string& without) {
    AspectsMet met;
    for (const TrainingForecast& f : forecasts) {
        if (f.counts() && tables[f.table].family != without) {
            for (const std::string& aspect : f.aspects) {
                met[aspect] = std::max<double>(met[aspect], f.step.gpus);
            }
        }
    }
    return met;
}

TrainingRanges training_ranges(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                               const Catalog& catalog, const std::string& without) {
    return ranges_of(tables, judged_rows(tables, forecasts, catalog), without);
}

std::vector<NamedFigure> training_coverage(const std::vector<TrainingTable>& tables,
                                           const std::vector<TrainingForecast>& forecasts, const Catalog& catalog) {
    const std::vector<Judged> rows = judged_rows(tables, forecasts, catalog);
    std::map<std::string, TrainingRanges> without;
    double counted = 0, counted_inside = 0, inside = 0;
    std::map<std::size_t, std::pair<double, double>> by_table;  // rows that count, and how many of them are inside
    for (const Judged& row : rows) {
        const std::string& family = tables[row.forecast->table].family;
        const auto [found, fresh] = without.try_emplace(family);
        if (fresh) {
            found->second = ranges_of(tables, rows, family);
        }
        const RatioRange& range = found->second.at(row.evidence);
        const double in = row.ratio >= range.low80 && row.ratio <= range.high80 ? 1 : 0;
        inside += in;
        counted += row.forecast->counts() ? 1 : 0;
        counted_inside += row.forecast->counts() ? in : 0;
        if (row.forecast->counts()) {
            by_table[row.forecast->table].first += 1;
            by_table[row.forecast->table].second += in;
        }
    }
    if (rows.empty()) {
        return {};
    }
    double share = 0;
    for (const auto& [table, of] : by_table) {
        share += of.second / of.first / static_cast<double>(by_table.size());
    }
    return {{"train_interval80_coverage_pct", 100 * counted_inside / counted, "%"},
            {"train_interval80_table_coverage_pct", 100 * share, "%"},
            {"train_all_interval80_coverage_pct", 100 * inside / static_cast<double>(rows.size()), "%"}};
}

std::string training_intervals_yaml(const AspectsMet& met, const TrainingRanges& ranges) {
    std::string yaml =
        "# What a training step's evidence and interval rest on. Written by `fabricast-training-accuracy --intervals "
        "FILE`.\n"
        "# `training-tables`: what the published tables that count have, and on how many GPUs at most.\n"
        "training-tables:\n  kind: evidence\n"
        "  note: \"What published tables of training steps have, and on how many GPUs at most.\"\n"
        "  origin: measured\n  source: \"validate/measurements/training\"\n  figures:\n";
    for (const auto& [aspect, gpus] : met) {
        yaml += fmt::format("    {}: {}\n", aspect, gpus);
    }
    yaml +=
        "\n# 80 % intervals of measured / forecast step time by evidence, of families of tables that the fit behind "
        "their\n# forecast never saw.\n"
        "training-intervals:\n  kind: interval\n"
        "  note: \"How far training steps were from forecasts that had not seen their family.\"\n"
        "  origin: fitted\n  source: \"families left out: docs/accuracy-training.csv\"\n  figures:\n";
    constexpr std::array<const char*, 3> names = {"same-system", "same-family", "formula-only"};
    for (std::size_t i = 0; i < ratings.size(); ++i) {
        const RatioRange& range = ranges.at(ratings[i]);
        yaml +=
            fmt::format("    {}: {{value: 1, low80: {:.3f}, high80: {:.3f}}}\n", names[i], range.low80, range.high80);
    }
    return yaml;
}

}  // namespace fabricast
