#include "validate/training/training_families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/parallel_map_ordered.hpp"
#include "base/percentile.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "sim/run/sweep/fingerprint.hpp"
#include "validate/training/training_constants.hpp"

namespace fabricast {

namespace {

// A table counts as this many independent points, because many of its rows repeat the same information; `noise` is the
// expected size of a residual.
constexpr double points_a_table = 8;
constexpr double noise = 0.03;
constexpr double step_of_slope = 0.05;  // of ln(figure)

// Solves A x = b by elimination; A must be symmetric and positive definite.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    return b;
}

double residual_at(const RowSlope& row, const std::vector<double>& x) {
    double sum = row.residual;
    for (std::size_t k = 0; k < x.size(); ++k) {
        sum += row.slope[k] * x[k];
    }
    return sum;
}

// The catalogue with every figure multiplied by the factor of its constant.
Catalog scaled(const Catalog& catalog, const std::vector<double>& factors) {
    Catalog out = catalog;
    for (auto& [name, part] : out.parts) {
        if (part.kind != "compute" && part.kind != "framework") {
            continue;
        }
        for (auto& [path, figure] : part.figures) {
            if (const std::optional<std::size_t> k = constant_behind(catalog, name, path)) {
                figure.value.front() *= factors[*k];
                figure.low80 *= factors[*k];
                figure.high80 *= factors[*k];
            }
        }
    }
    return out;
}

struct RowPlace {
    std::size_t table, row;
};

}  // namespace

std::vector<double> least_absolute(const std::vector<RowSlope>& rows, const std::vector<double>& start,
                                   const std::vector<double>& spread) {
    const std::size_t n = start.size();
    std::vector<double> x = start;
    for (int round = 0; round < 60; ++round) {
        std::vector<std::vector<double>> a(n, std::vector<double>(n, 0));
        std::vector<double> b(n, 0);
        for (std::size_t k = 0; k < n; ++k) {
            a[k][k] = 1 / (spread[k] * spread[k]);
            b[k] = start[k] * a[k][k];
        }
        for (const RowSlope& row : rows) {
            const double weight = row.weight / (noise * std::max(std::abs(residual_at(row, x)), 0.2 * noise));
            for (std::size_t k = 0; k < n; ++k) {
                if (row.slope[k] == 0) {
                    continue;
                }
                for (std::size_t j = 0; j < n; ++j) {
                    a[k][j] += weight * row.slope[k] * row.slope[j];
                }
                b[k] -= weight * row.slope[k] * row.residual;
            }
        }
        x = solve(std::move(a), std::move(b));
    }
    return x;
}

std::vector<RowSlope> slopes(const std::vector<TrainingTable>& tables, const Catalog& catalog, std::size_t threads) {
    std::vector<RowPlace> places;
    std::vector<std::size_t> rows_of(tables.size(), 0);
    for (std::size_t t = 0; t < tables.size(); ++t) {
        for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
            if (exclusion(tables[t], r).empty()) {
                places.push_back({t, r});
            }
        }
    }
    std::vector<Catalog> changed;
    for (std::size_t k = 0; k < training_constants().size(); ++k) {
        std::vector<double> factors(training_constants().size(), 1);
        factors[k] = std::exp(step_of_slope);
        changed.push_back(scaled(catalog, factors));
    }
    const auto one = [&](std::size_t i) {
        RowSlope out;
        const TrainingTable& table = tables[places[i].table];
        const std::size_t row = places[i].row;
        out.table = places[i].table;
        const TrainingForecast base = forecast_row(table, row, catalog);
        if (!base.counts()) {
            return out;
        }
        out.residual = std::log(base.forecast_s / base.measured_s);
        std::set<std::size_t> used;
        for (const auto& [part, figure] : base.used) {
            const Part* known = catalog.find(part);
            if (known != nullptr && (known->kind == "compute" || known->kind == "framework")) {
                used.insert(constant_behind(catalog, part, figure).value_or(changed.size()));
            }
        }
        for (std::size_t k = 0; k < changed.size(); ++k) {
            const double moved = used.contains(k) ? forecast_row(table, row, changed[k]).forecast_s : base.forecast_s;
            out.slope.push_back(std::log(moved / base.forecast_s) / step_of_slope);
        }
        return out;
    };
    std::vector<RowSlope> all;
    parallel_map_ordered(places.size(), threads, one, [&](RowSlope row) {
        if (!row.slope.empty()) {
            ++rows_of[row.table];
            all.push_back(std::move(row));
        }
    });
    for (RowSlope& row : all) {
        row.weight = points_a_table / static_cast<double>(rows_of[row.table]);
    }
    return all;
}

Catalog refitted(const Catalog& catalog, const std::vector<TrainingTable>& tables, const std::vector<RowSlope>& rows,
                 const std::string& without) {
    std::vector<double> start, spread;
    for (const TrainingConstant& constant : training_constants()) {
        start.push_back(std::log(constant.value / catalog.parts.at(constant.part).number(constant.figure)));
        spread.push_back(constant.spread);
    }
    std::vector<RowSlope> others;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(others),
                 [&](const RowSlope& row) { return tables[row.table].family != without; });
    const std::vector<double> x = least_absolute(others, start, spread);
    std::vector<double> factors;
    std::transform(x.begin(), x.end(), std::back_inserter(factors), [](double change) { return std::exp(change); });
    return scaled(catalog, factors);
}

std::string fit_yaml(const Catalog& before, const Catalog& after) {
    std::string text =
        "# Made by `build/bin/fabricast-training-accuracy --fit FILE`: the constants of training refitted to all "
        "tables.\n";
    std::map<std::string, std::string> parts;
    for (const TrainingConstant& constant : training_constants()) {
        const Figure& was = before.parts.at(constant.part).figure(constant.figure);
        const Figure& is = after.parts.at(constant.part).figure(constant.figure);
        const std::string unit = was.unit.empty() ? "" : " " + was.unit;
        parts[constant.part] += fmt::format("    {}: {:.4g}{}  # {:.4g} before, {:.4g} without any table\n",
                                            constant.figure, is.value.front(), unit, was.value.front(), constant.value);
    }
    for (const auto& [part, figures] : parts) {
        text += part + ":\n  kind: " + before.parts.at(part).kind + "\n  figures:\n" + figures;
    }
    return text;
}

void take_family_out(const std::vector<TrainingTable>& tables, const FamilyOut& out,
                     std::vector<TrainingForecast>& forecasts) {
    for (TrainingForecast& f : forecasts) {
        const auto found = out.seconds.find(tables[f.table].id);
        const bool there = found != out.seconds.end() && f.row < found->second.size();
        f.family_out_s = there ? found->second[f.row] : 0;
    }
}

FamilyOut family_out(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                     const std::vector<RowSlope>& rows, const Catalog& catalog, std::size_t threads) {
    std::map<std::string, Catalog> without;
    std::vector<RowPlace> places;
    for (std::size_t t = 0; t < tables.size(); ++t) {
        if (!without.contains(tables[t].family)) {
            without.emplace(tables[t].family, refitted(catalog, tables, rows, tables[t].family));
        }
        for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
            places.push_back({t, r});
        }
    }
    FamilyOut out;
    out.fingerprint = training_fingerprint(tables, forecasts);
    const auto one = [&](std::size_t i) {
        const TrainingTable& table = tables[places[i].table];
        const TrainingForecast f = forecast_row(table, places[i].row, without.at(table.family));
        return f.failed.empty() ? f.forecast_s : 0.0;
    };
    std::size_t at = 0;
    parallel_map_ordered(places.size(), threads, one,
                         [&](double seconds) { out.seconds[tables[places[at++].table].id].push_back(seconds); });
    return out;
}

std::string training_fingerprint(const std::vector<TrainingTable>& tables,
                                 const std::vector<TrainingForecast>& forecasts) {
    std::string text;
    for (const TrainingForecast& f : forecasts) {
        text += fmt::format("{} {} {} {:.4g} {:.4g} {}\n", tables[f.table].id, tables[f.table].family, f.row,
                            f.measured_s, f.forecast_s, f.counts());
    }
    for (const TrainingConstant& c : training_constants()) {
        text += fmt::format("{} {} {} {}\n", c.part, c.figure, c.value, c.spread);
    }
    return fingerprint(text);
}

FamilyOut read_family_out(const std::filesystem::path& file) {
    FamilyOut out;
    if (std::filesystem::exists(file)) {
        const yaml::Node root = yaml::read(file);
        out.fingerprint = root.required("fingerprint").as_string();
        for (const yaml::Node& member : root.required("tables").members()) {
            for (const yaml::Node& item : member.items()) {
                out.seconds[member.name].push_back(item.as_double());
            }
        }
    }
    return out;
}

void write_family_out(const std::filesystem::path& file, const FamilyOut& out) {
    std::string text =
        "# Made by `build/bin/fabricast-training-accuracy --families yes`: seconds of each row's step, forecast with "
        "the\n"
        "# constants of models/catalog/training.yaml refitted without the row's whole family; 0: no forecast.\n";
    text += "fingerprint: \"" + out.fingerprint + "\"\ntables:\n";
    for (const auto& [table, seconds] : out.seconds) {
        text += "  " + table + ": [";
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            text += (i == 0 ? "" : ", ") + fmt::format("{:.4g}", seconds[i]);
        }
        text += "]\n";
    }
    write_atomically(file, text);
}

}  // namespace fabricast
