#include "validate/accuracy/accuracy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/input_error.hpp"
#include "base/percentile.hpp"
#include "base/text.hpp"

namespace fabricast {
namespace {

constexpr std::string_view header =
    "dataset,size,measured,predicted,null_alphabeta,null_tuning,regime,site,used,predicted_without_site,sibling,"
    "generation,nccl,fabric,nodes,publisher,predicted_without_publisher,publisher_sibling,fitted_alphabeta,"
    "fitted_tuning\n";
constexpr std::size_t column_count = 20;

bool counts(const AccuracyRow& row, const Selection& selection) {
    const bool usable = row.used == "yes" || (!selection.healthy && row.used == "unhealthy");
    const bool kin = selection.which == Forecast::left_out        ? row.sibling
                     : selection.which == Forecast::publisher_out ? row.publisher_sibling
                                                                  : selection.sibling.value_or(true);
    return usable && (!selection.sibling || kin == *selection.sibling) &&
           (!selection.scope || scope_of(row) == *selection.scope) && regime_of(row.size) == selection.regime &&
           row.measured > 0 && forecast(row, selection.which) > 0;
}

// Seven digits: smaller differences do not show in any figure.
std::string digits(double value) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.7g", value);
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

double figure_cell(const std::string& cell, const SourceLocation& place) {
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size()) {
        throw InputError(place, error_message("a cell that is no figure", shown(cell), "a number"));
    }
    return value;
}

double error_of(const AccuracyRow& row, Forecast which) { return std::abs(forecast(row, which) / row.measured - 1); }

void append_figures(std::vector<NamedFigure>& figures, const std::vector<AccuracyRow>& rows, const std::string& prefix,
                    Selection selection) {
    enum class Kind : std::uint8_t { median, p90, pooled_p90 };
    for (const auto& [kind, name] : {std::pair(Kind::median, "_median_pct"), std::pair(Kind::p90, "_p90_pct"),
                                     std::pair(Kind::pooled_p90, "_pooled_p90_pct")}) {
        for (const Regime regime : all_regimes) {
            selection.regime = regime;
            std::vector<double> of_sites;
            for (const SiteError& site : site_errors(rows, selection)) {
                of_sites.push_back(kind == Kind::p90 ? site.p90 : site.median);
            }
            const auto value = kind == Kind::pooled_p90 ? pooled_p90(rows, selection) : percentile(of_sites, 50);
            if (value) {
                figures.push_back({prefix + std::string(to_string(regime)) + name, 100 * *value});
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
        case Forecast::publisher_out:
            return row.publisher_out.value_or(0);
        case Forecast::null_alphabeta:
            return row.null_alphabeta;
        case Forecast::null_tuning:
            return row.null_tuning;
        case Forecast::fitted_alphabeta:
            return row.fitted_alphabeta.value_or(0);
        case Forecast::fitted_tuning:
            return row.fitted_tuning.value_or(0);
    }
    return 0;
}

std::vector<SiteError> site_errors(const std::vector<AccuracyRow>& rows, const Selection& selection) {
    std::map<std::string, std::vector<double>> errors;
    for (const AccuracyRow& row : rows) {
        if (counts(row, selection)) {
            errors[row.site].push_back(error_of(row, selection.which));
        }
    }
    std::vector<SiteError> sites;
    for (const auto& [site, list] : errors) {
        sites.push_back({site, list.size(), *percentile(list, 50), *percentile(list, 90)});
    }
    return sites;
}

std::optional<double> pooled_p90(const std::vector<AccuracyRow>& rows, const Selection& selection) {
    std::vector<double> errors;
    for (const AccuracyRow& row : rows) {
        if (counts(row, selection)) {
            errors.push_back(error_of(row, selection.which));
        }
    }
    return percentile(errors, 90);
}

std::vector<NamedFigure> accuracy_figures(const std::vector<AccuracyRow>& rows) {
    std::vector<NamedFigure> figures;
    for (const std::optional<Scope> scope : {std::optional<Scope>{}, {Scope::inside}, {Scope::between}}) {
        const std::string part = scope ? "nccl_" + std::string(to_string(*scope)) + "_" : "nccl_";
        const auto append = [&](const std::string& name, Selection selection) {
            selection.scope = scope;
            append_figures(figures, rows, part + name, selection);
        };
        append("", {});
        append("all_", {.healthy = false});
        append("loso_", {.which = Forecast::left_out});
        append("loso_without_sibling_", {.which = Forecast::left_out, .sibling = false});
        append("loso_every_site_", {.which = Forecast::left_out, .sibling = std::nullopt});
        append("lopo_", {.which = Forecast::publisher_out});
        append("lopo_every_site_", {.which = Forecast::publisher_out, .sibling = std::nullopt});
        append("null_alphabeta_", {.which = Forecast::null_alphabeta});
        append("null_tuning_", {.which = Forecast::null_tuning});
        append("null_fitted_alphabeta_", {.which = Forecast::fitted_alphabeta});
        append("null_fitted_tuning_", {.which = Forecast::fitted_tuning});
    }
    return figures;
}

std::string to_csv(const std::vector<AccuracyRow>& rows) {
    std::string csv(header);
    const auto maybe = [](const std::optional<double>& value) { return value ? digits(*value) : std::string(); };
    for (const AccuracyRow& row : rows) {
        csv += csv_cell(row.dataset) + "," + std::to_string(row.size.count) + "," + digits(row.measured) + "," +
               digits(row.predicted) + "," + digits(row.null_alphabeta) + "," + digits(row.null_tuning) + "," +
               std::string(to_string(regime_of(row.size))) + "," + csv_cell(row.site) + "," + row.used + "," +
               maybe(row.left_out) + "," + (row.sibling ? "yes" : "no") + "," + row.group.generation + "," +
               row.group.nccl_era + "," + row.group.fabric + "," + std::to_string(row.nodes) + "," +
               csv_cell(row.publisher) + "," + maybe(row.publisher_out) + "," + (row.publisher_sibling ? "yes" : "no") +
               "," + maybe(row.fitted_alphabeta) + "," + maybe(row.fitted_tuning) + "\n";
    }
    return csv;
}

std::vector<AccuracyRow> parse_accuracy_csv(std::string_view csv, const std::string& file) {
    const auto name = std::make_shared<const std::string>(file);
    if (!csv.starts_with(header)) {
        throw InputError({name, 1, 1}, error_message("not an accuracy table", "another first line", header));
    }
    std::vector<AccuracyRow> rows;
    int line_number = 1;
    for (csv.remove_prefix(header.size()); !csv.empty();) {
        const std::string_view line = csv.substr(0, csv.find('\n'));
        csv.remove_prefix(std::min(csv.size(), line.size() + 1));
        const SourceLocation place{name, ++line_number, 1};
        const std::vector<std::string> c = cells(line);
        if (c.size() != column_count) {
            throw InputError(
                place, error_message("a row of another width", std::to_string(c.size()), std::to_string(column_count)));
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
        const auto maybe = [&](const std::string& cell) {
            return cell.empty() ? std::nullopt : std::optional(figure_cell(cell, place));
        };
        row.left_out = maybe(c[9]);
        row.sibling = c[10] == "yes";
        row.group = {c[11], c[12], c[13]};
        row.nodes = static_cast<std::uint32_t>(figure_cell(c[14], place));
        row.publisher = c[15];
        row.publisher_out = maybe(c[16]);
        row.publisher_sibling = c[17] == "yes";
        row.fitted_alphabeta = maybe(c[18]);
        row.fitted_tuning = maybe(c[19]);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace fabricast
