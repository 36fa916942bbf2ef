#include "validate/accuracy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

#include "sim/io/place.hpp"
#include "sim/io/text.hpp"

namespace fabricast {
namespace {

constexpr std::string_view header =
    "dataset,size,measured,predicted,null_alphabeta,null_tuning,regime,site,used,predicted_without_site,sibling,"
    "generation,nccl,fabric,nodes\n";
constexpr std::size_t column_count = 15;

bool counts(const AccuracyRow& row, const Selection& selection) {
    const bool usable = row.used == "yes" || (!selection.healthy && row.used == "unhealthy");
    const bool asked = !selection.sibling || row.sibling == *selection.sibling;
    const bool left_out = selection.which != Forecast::left_out || (row.left_out.has_value() && asked);
    return usable && left_out && regime_of(row.size) == selection.regime && row.measured > 0;
}

// Nine digits: a difference that rounds away here is no difference in a figure.
std::string digits(double value) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.9g", value);
    return buffer.data();
}

std::vector<std::string> cells(std::string_view line) {
    std::vector<std::string> out(1);
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') {
            out.back() += line[++i];
        } else if (line[i] == '"') {
            inside = !inside;
        } else if (line[i] == ',' && !inside) {
            out.emplace_back();
        } else {
            out.back() += line[i];
        }
    }
    return out;
}

double figure_cell(const std::string& cell, const Place& place) {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size()) {
        throw ScenarioError(place, complaint("a cell that is no figure", shown(cell), "a number"));
    }
    return value;
}

void append_figures(std::vector<AccuracyFigure>& figures, const std::vector<AccuracyRow>& rows,
                    const std::string& prefix, Selection selection) {
    for (const bool p90 : {false, true}) {
        for (const Regime regime : all_regimes) {
            selection.regime = regime;
            std::vector<double> of_sites;
            for (const SiteError& site : site_errors(rows, selection)) {
                of_sites.push_back(p90 ? site.p90 : site.median);
            }
            if (const auto middle = percentile(of_sites, 50)) {
                figures.push_back(
                    {prefix + std::string(word(regime)) + (p90 ? "_p90_pct" : "_median_pct"), 100 * *middle});
            }
        }
    }
}

}  // namespace

double forecast(const AccuracyRow& row, Forecast which) {
    switch (which) {
        case Forecast::ours:
            return row.predicted;
        case Forecast::left_out:
            return row.left_out.value_or(0);
        case Forecast::null_alphabeta:
            return row.null_alphabeta;
        case Forecast::null_tuning:
            return row.null_tuning;
    }
    return 0;
}

std::vector<SiteError> site_errors(const std::vector<AccuracyRow>& rows, const Selection& selection) {
    std::map<std::string, std::vector<double>> errors;
    for (const AccuracyRow& row : rows) {
        if (counts(row, selection)) {
            errors[row.site].push_back(std::abs(forecast(row, selection.which) / row.measured - 1));
        }
    }
    std::vector<SiteError> sites;
    for (const auto& [site, list] : errors) {
        sites.push_back({site, list.size(), *percentile(list, 50), *percentile(list, 90)});
    }
    return sites;
}

std::vector<AccuracyFigure> accuracy_figures(const std::vector<AccuracyRow>& rows) {
    std::vector<AccuracyFigure> figures;
    append_figures(figures, rows, "nccl_", {});
    append_figures(figures, rows, "nccl_all_", {.healthy = false});
    append_figures(figures, rows, "nccl_loso_", {.which = Forecast::left_out});
    append_figures(figures, rows, "nccl_loso_without_sibling_", {.which = Forecast::left_out, .sibling = false});
    append_figures(figures, rows, "nccl_loso_every_site_", {.which = Forecast::left_out, .sibling = std::nullopt});
    append_figures(figures, rows, "nccl_null_alphabeta_", {.which = Forecast::null_alphabeta});
    append_figures(figures, rows, "nccl_null_tuning_", {.which = Forecast::null_tuning});
    return figures;
}

std::string figure_line(const AccuracyFigure& figure) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.2f", figure.percent);
    return "figure: " + figure.name + " " + buffer.data() + " %";
}

std::string to_csv(const std::vector<AccuracyRow>& rows) {
    std::string csv(header);
    for (const AccuracyRow& row : rows) {
        csv += csv_cell(row.dataset) + "," + std::to_string(row.size.count) + "," + digits(row.measured) + "," +
               digits(row.predicted) + "," + digits(row.null_alphabeta) + "," + digits(row.null_tuning) + "," +
               std::string(word(regime_of(row.size))) + "," + csv_cell(row.site) + "," + row.used + "," +
               (row.left_out ? digits(*row.left_out) : "") + "," + (row.sibling ? "yes" : "no") + "," +
               row.group.generation + "," + row.group.nccl_era + "," + row.group.fabric + "," +
               std::to_string(row.nodes) + "\n";
    }
    return csv;
}

std::vector<AccuracyRow> parse_accuracy_csv(std::string_view csv, const std::string& file) {
    const auto name = std::make_shared<const std::string>(file);
    if (!csv.starts_with(header)) {
        throw ScenarioError({name, 1, 1}, complaint("not an accuracy table", "another first line", header));
    }
    std::vector<AccuracyRow> rows;
    int line_number = 1;
    for (csv.remove_prefix(header.size()); !csv.empty();) {
        const std::string_view line = csv.substr(0, csv.find('\n'));
        csv.remove_prefix(std::min(csv.size(), line.size() + 1));
        const Place place{name, ++line_number, 1};
        const std::vector<std::string> c = cells(line);
        if (c.size() != column_count) {
            throw ScenarioError(
                place, complaint("a row of another width", std::to_string(c.size()), std::to_string(column_count)));
        }
        AccuracyRow row;
        row.dataset = c[0];
        row.size = Bytes{static_cast<std::int64_t>(figure_cell(c[1], place))};
        row.measured = figure_cell(c[2], place);
        row.predicted = figure_cell(c[3], place);
        row.null_alphabeta = figure_cell(c[4], place);
        row.null_tuning = figure_cell(c[5], place);
        row.site = c[7];
        row.used = c[8];
        row.left_out = c[9].empty() ? std::nullopt : std::optional(figure_cell(c[9], place));
        row.sibling = c[10] == "yes";
        row.group = {c[11], c[12], c[13]};
        row.nodes = static_cast<std::uint32_t>(figure_cell(c[14], place));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace fabricast
