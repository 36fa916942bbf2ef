#include "validate/accuracy/accuracy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/percentile.hpp"
#include "validate/accuracy/collect.hpp"
#include "validate/accuracy/intervals.hpp"
#include "validate/accuracy/nulls.hpp"
#include "validate/score/compared_row.hpp"

namespace fabricast::inline validate_accuracy {

namespace {

// The medians over sites for every regime, then their 90th percentiles, then those of all rows together.
void append_figures(std::vector<NamedFigure>& figures, const std::vector<ComparedRow>& rows, const std::string& prefix,
                    Selection selection) {
    std::vector<NamedFigure> p90, pooled;
    for (const Regime regime : all_regimes) {
        selection.regime = regime;
        const GroupErrors sites = errors_by(&ComparedRow::site, rows, selection);
        if (!sites.empty()) {
            const std::string name = fmt::format("{}{}", prefix, to_string(regime));
            figures.push_back({name + "_median_pct", 100 * *median_over(sites, &ErrorSummary::median)});
            p90.push_back({name + "_p90_pct", 100 * *median_over(sites, &ErrorSummary::p90)});
            pooled.push_back({name + "_pooled_p90_pct", 100 * errors_of(rows, selection).p90});
        }
    }
    figures.insert(figures.end(), p90.begin(), p90.end());
    figures.insert(figures.end(), pooled.begin(), pooled.end());
}

template <Forecast which> std::string seconds(const ComparedRow& row) {
    return row[which] > 0 ? seven_digits(row[which]) : "";
}

std::string yes(bool value) { return value ? "yes" : "no"; }

std::string median_ratio(const RowGroup& group) {
    std::vector<double> ratios;
    for (const ComparedRow& row : group) {
        if (selects({.which = Forecast::publisher_out}, row)) {
            ratios.push_back(row.measured / row[Forecast::publisher_out]);
        }
    }
    return ratios.empty() ? "" : fmt::format("{:.5g}", *percentile(ratios, 50));
}

// One cell for each regime, of figures whose names differ in it: "6.1", or a dash where there is no such figure.
std::vector<std::string> cells(const std::vector<NamedFigure>& figures, const std::string& prefix, const char* end) {
    std::vector<std::string> list;
    for (const Regime regime : all_regimes) {
        const auto value = value_of(figures, fmt::format("{}{}{}", prefix, to_string(regime), end));
        list.push_back(value ? fmt::format("{:.1f}", *value) : "–");
    }
    return list;
}

// inside_loso_<regime>_median_pct and between_loso_..., of sites with a sibling in the fit without them, and
// unseen_..., of sites without one, inside a node and between nodes together: under these names what `figures` has as
// nccl_inside_loso_..., nccl_between_loso_... and nccl_loso_without_sibling_...
std::vector<NamedFigure> headline_figures(const std::vector<NamedFigure>& figures) {
    constexpr std::pair<const char*, const char*> names[] = {{"inside_loso", "nccl_inside_loso"},
                                                             {"between_loso", "nccl_between_loso"},
                                                             {"unseen", "nccl_loso_without_sibling"},
                                                             {"gpu_out", "nccl_inside_gpu_out"}};
    std::vector<NamedFigure> headlines;
    for (const auto& [name, same] : names) {
        for (const Regime regime : all_regimes) {
            const std::string end = fmt::format("_{}_median_pct", to_string(regime));
            if (const auto value = value_of(figures, same + end)) { headlines.push_back({name + end, *value}); }
        }
    }
    return headlines;
}

}  // namespace

std::vector<NamedFigure> accuracy_figures(const std::vector<ComparedRow>& rows) {
    std::vector<NamedFigure> figures;
    for (const std::string_view part : {std::string_view{}, all_parts[0], all_parts[1]}) {
        const auto append = [&](const char* name, Selection selection) {
            selection.part = part;
            append_figures(figures, rows, fmt::format("nccl_{}{}{}", part, part.empty() ? "" : "_", name), selection);
        };
        append("", {});
        append("all_", {.everything = true});
        append("loso_", {.which = Forecast::left_out, .sibling = true});
        append("loso_without_sibling_", {.which = Forecast::left_out, .sibling = false});
        append("loso_every_site_", {.which = Forecast::left_out});
        append("lopo_", {.which = Forecast::publisher_out, .sibling = true});
        append("lopo_every_site_", {.which = Forecast::publisher_out});
        append("gpu_out_", {.which = Forecast::gpu_out});
        append("null_alphabeta_", {.which = Forecast::null_alphabeta});
        append("null_tuning_", {.which = Forecast::null_tuning});
        append("null_fitted_alphabeta_", {.which = Forecast::fitted_alphabeta});
        append("null_fitted_tuning_", {.which = Forecast::fitted_tuning});
    }
    for (const auto& more : {headline_figures(figures), null_figures(rows), interval_figures(rows)}) {
        figures.insert(figures.end(), more.begin(), more.end());
    }
    return figures;
}

std::map<std::string, RegimeMedians> regime_medians(std::string ComparedRow::*group,
                                                    const std::vector<ComparedRow>& rows, Selection selection) {
    std::map<std::string, RegimeMedians> medians;
    for (const Regime regime : all_regimes) {
        selection.regime = regime;
        for (const auto& [name, errors] : errors_by(group, rows, selection)) {
            medians[name][index_of(regime)] = errors.median;
        }
    }
    return medians;
}

std::map<std::string, RegimeMedians> site_medians(const std::vector<ComparedRow>& rows, Forecast which,
                                                  std::string_view part) {
    return regime_medians(&ComparedRow::site, rows, {.which = which, .part = part});
}

std::string rows_csv(const std::vector<ComparedRow>& rows) {
    using Row = ComparedRow;
    static const std::vector<CsvColumn<Row>> columns = {
        {"dataset", [](const Row& r) { return r.table; }},
        {"size", [](const Row& r) { return fmt::format("{}", r.size.count); }},
        {"measured", [](const Row& r) { return seven_digits(r.measured); }},
        {"predicted", seconds<Forecast::ours>},
        {"null_alphabeta", seconds<Forecast::null_alphabeta>},
        {"null_tuning", seconds<Forecast::null_tuning>},
        {"regime", [](const Row& r) { return std::string(to_string(regime_of(r.size))); }},
        {"site", [](const Row& r) { return r.site; }},
        {"used", [](const Row& r) { return std::string(r.used()); }},
        {"predicted_without_site", seconds<Forecast::left_out>},
        {"sibling", [](const Row& r) { return yes(r.sibling); }},
        {"generation", [](const Row& r) { return r.group.generation; }},
        {"nccl", [](const Row& r) { return r.group.nccl_era; }},
        {"fabric", [](const Row& r) { return r.group.fabric; }},
        {"nodes", [](const Row& r) { return fmt::format("{}", r.nodes); }},
        {"publisher", [](const Row& r) { return r.publisher; }},
        {"predicted_without_publisher", seconds<Forecast::publisher_out>},
        {"publisher_sibling", [](const Row& r) { return yes(r.publisher_sibling); }},
        {"predicted_without_gpu", seconds<Forecast::gpu_out>},
        {"fitted_alphabeta", seconds<Forecast::fitted_alphabeta>},
        {"fitted_tuning", seconds<Forecast::fitted_tuning>},
    };
    return csv_text(columns, rows);
}

std::string curves_csv(const std::vector<ComparedRow>& rows) {
    static const std::vector<CsvColumn<RowGroup>> columns = {
        {"dataset", [](const RowGroup& g) { return g.front().table; }},
        {"site", [](const RowGroup& g) { return g.front().site; }},
        {"nodes", [](const RowGroup& g) { return fmt::format("{}", g.front().nodes); }},
        {"regime", [](const RowGroup& g) { return std::string(to_string(regime_of(g.front().size))); }},
        {"rows", rows_cell},
        {"counted", counted_cell},
        {"error_pct", median_cell<Forecast::ours>},
        {"without_site_pct", median_cell<Forecast::left_out>},
        {"without_publisher_pct", median_cell<Forecast::publisher_out>},
        {"null_alphabeta_pct", median_cell<Forecast::null_alphabeta>},
        {"null_tuning_pct", median_cell<Forecast::null_tuning>},
        {"fitted_alphabeta_pct", median_cell<Forecast::fitted_alphabeta>},
        {"fitted_tuning_pct", median_cell<Forecast::fitted_tuning>},
        {"measured_over_without_publisher", median_ratio},
        {"forecasts_hash", hash_cell<Forecast::ours, Forecast::null_alphabeta, Forecast::null_tuning>},
        {"left_out_hash", hash_cell<Forecast::left_out, Forecast::publisher_out>},
    };
    return csv_text(columns,
                    row_groups(rows, [](const ComparedRow& row) { return std::pair(row.table, regime_of(row.size)); }));
}

std::string planner_table(const std::vector<NamedFigure>& figures) {
    struct Line {
        const char *title, *error, *interval;
    };
    constexpr Line lines[] = {
        {"inside a node, parts that others measured", "inside_loso_", "interval80_inside_sibling_"},
        {"between nodes, parts that others measured", "between_loso_", "interval80_between_sibling_"},
        {"between nodes, after a pilot of your own", "pilot_", "pilot_"},
        {"parts that nobody measured", "unseen_", "interval80_unseen_"},
        {"— of these inside a node", "nccl_inside_loso_without_sibling_", ""},
        {"— of these between nodes", "nccl_between_loso_without_sibling_", ""}};
    std::string out = markdown_head({"how far off", "error < 64 KiB, %", "– 16 MiB", "above",
                                     "80 % interval, high / low < 64 KiB", "– 16 MiB", "above"});
    for (const Line& line : lines) {
        std::vector<std::string> row = {line.title};
        std::ranges::move(cells(figures, line.error, "_median_pct"), std::back_inserter(row));
        std::ranges::move(cells(figures, line.interval, "_factor"), std::back_inserter(row));
        out += markdown_row(row);
    }
    return out;
}

std::string pilots_table(const std::vector<NamedFigure>& figures) {
    std::set<std::string> sites;  // of "pilot_site_<site>_<regime>_pct"
    constexpr std::string_view begin = "pilot_site_";
    for (const NamedFigure& figure : figures) {
        if (figure.name.starts_with(begin)) {
            sites.insert(figure.name.substr(begin.size(), figure.name.find('_', begin.size()) - begin.size()));
        }
    }
    std::string out = markdown_head({"site", "without a pilot", "after it"});
    for (const std::string& site : sites) {
        const std::string prefix = fmt::format("{}{}_", begin, site);
        out += markdown_row({site, fmt::format("{}", fmt::join(cells(figures, prefix, "_before_pct"), " · ")),
                             fmt::format("{}", fmt::join(cells(figures, prefix, "_pct"), " · "))});
    }
    return sites.empty() ? "None was made with this catalogue and these data: `./dev accuracy --loso`.\n" : out;
}

}  // namespace fabricast::inline validate_accuracy
