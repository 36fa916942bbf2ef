#include "validate/training/training_families.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/parallel_map_ordered.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "sim/run/sweep/fingerprint.hpp"
#include "validate/import/embedded.hpp"

namespace fabricast::inline validate_training {

namespace {

// A table counts as this many independent points, because many of its rows repeat the same information. Against the
// smallest run of its series a row is known better than alone: what both have in common is not in their difference.
constexpr double points_a_table = 8;
constexpr double series_noise = 0.01;
constexpr std::size_t rows_a_table = 12;  // say as much of it as all
constexpr double step_of_slope = 0.05;    // of ln(figure)

// Solves A x = b by elimination; A must be symmetric and positive definite.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j) { a[i][j] -= factor * a[k][j]; }
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) { b[k] -= a[k][j] * b[j]; }
        b[k] /= a[k][k];
    }
    return b;
}

bool is_refitted(const Part& part) { return part.kind == "compute" || part.kind == "framework"; }

using Matrix = std::vector<std::vector<double>>;

// Weights of rows that make squares as large as absolute values, and what they tell of the constants beside the prior.
struct Normal {
    Matrix a;
    std::vector<double> b;
};

Normal normal_equations(const std::vector<RowSlope>& rows, const std::vector<double>& x,
                        const std::vector<double>& start, const std::vector<double>& spread) {
    const std::size_t n = x.size();
    Normal out{Matrix(n, std::vector<double>(n, 0)), std::vector<double>(n, 0)};
    for (std::size_t k = 0; k < n; ++k) {
        out.a[k][k] = 1 / (spread[k] * spread[k]);
        out.b[k] = start[k] * out.a[k][k];
    }
    for (const RowSlope& row : rows) {
        const double residual = std::inner_product(x.begin(), x.end(), row.slope.begin(), row.residual);
        const double weight = row.weight / (row.noise * std::max(std::abs(residual), 0.2 * row.noise));
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < n; ++j) { out.a[k][j] += weight * row.slope[k] * row.slope[j]; }
            out.b[k] -= weight * row.slope[k] * row.residual;
        }
    }
    return out;
}

std::vector<double> spreads() {
    std::vector<double> list;
    for (const TrainingConstant& constant : training_constants()) { list.push_back(constant.spread); }
    return list;
}

}  // namespace

Catalog scaled(const Catalog& catalog, const std::vector<double>& changes) {
    Catalog out = catalog;
    for (auto& [name, part] : out.parts) {
        if (!is_refitted(part)) { continue; }
        for (auto& [path, figure] : part.figures) {
            if (const std::optional<std::size_t> k = constant_behind(catalog, name, path)) {
                const double factor = std::exp(changes[*k]);
                figure.value.front() *= factor;
                figure.low80 *= factor;
                figure.high80 *= factor;
            }
        }
    }
    return out;
}

const std::vector<TrainingConstant>& training_constants() {
    static const std::vector<TrainingConstant> list = [] {
        std::vector<TrainingConstant> constants;
        const yaml::Node root = embedded_tree("validate/training/priors.yaml");
        for (const yaml::Node& node : root.required("constants").items()) {
            node.allow({"part", "figure", "value", "spread"});
            constants.push_back({node.required("part").as_string(), node.required("figure").as_string(),
                                 node.required("value").as_double(), node.required("spread").as_double()});
        }
        return constants;
    }();
    return list;
}

std::optional<std::size_t> constant_behind(const Catalog& catalog, const std::string& part, const std::string& figure) {
    const std::vector<TrainingConstant>& list = training_constants();
    std::optional<std::size_t> inherited;
    const Figure& own = catalog.parts.at(part).figure(figure);
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k].figure != figure) { continue; }
        if (list[k].part == part) { return k; }
        const Figure& other = catalog.parts.at(list[k].part).figure(figure);
        const bool same = own.value == other.value && own.low80 == other.low80 && own.high80 == other.high80 &&
                          own.source == other.source;
        if (!inherited && same) { inherited = k; }
    }
    return inherited;
}

std::vector<double> least_absolute(const std::vector<RowSlope>& rows, const std::vector<double>& start,
                                   const std::vector<double>& spread) {
    std::vector<double> x = start;
    for (int round = 0; round < 60; ++round) {
        Normal equations = normal_equations(rows, x, start, spread);
        x = solve(std::move(equations.a), std::move(equations.b));
    }
    return x;
}

std::vector<double> variances(const std::vector<RowSlope>& rows, const std::vector<double>& changes) {
    const Matrix a = normal_equations(rows, changes, changes, spreads()).a;
    std::vector<double> out;
    for (std::size_t k = 0; k < changes.size(); ++k) {
        std::vector<double> unit(changes.size(), 0);
        unit[k] = 1;
        out.push_back(solve(a, unit)[k]);
    }
    return out;
}

bool in_weak_series(const TrainingForecast& f) { return f.forecast_efficiency && f.scaling == TableScaling::weak; }

// The i-th of the rows taken of a table: one of each of as many equal stretches, elsewhere in each (by the golden
// ratio), so that rows which alternate, of two precisions or two kernels, are all met.
std::size_t sampled(std::size_t i, std::size_t rows, std::size_t taken) {
    const double place = std::fmod(0.6180339887 * static_cast<double>(i), 1.0);
    return static_cast<std::size_t>((static_cast<double>(i) + place) * static_cast<double>(rows) /
                                    static_cast<double>(taken));
}

// ln(forecast / measured) of one row, and its slope by each constant.
RowSlope slope_of(const TrainingForecast& base, const Catalog& catalog, const std::vector<Catalog>& changed) {
    std::set<std::size_t> used;
    for (const auto& [part, figure] : base.used) {
        const Part* known = catalog.find(part);
        if (known != nullptr && is_refitted(*known)) {
            used.insert(constant_behind(catalog, part, figure).value_or(changed.size()));
        }
    }
    RowSlope out{base.table, 1, std::log(base.forecast_s / base.measured_s), {}, base.row};
    for (std::size_t k = 0; k < changed.size(); ++k) {
        const double moved =
            used.contains(k) ? forecast_row(*base.table, base.row, changed[k]).forecast_s : base.forecast_s;
        out.slope.push_back(std::log(moved / base.forecast_s) / step_of_slope);
    }
    return out;
}

std::vector<RowSlope> slopes(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog,
                             std::size_t threads) {
    using Key = std::pair<const TrainingTable*, std::size_t>;
    std::map<const TrainingTable*, std::vector<const TrainingForecast*>> rows_of;
    std::map<Key, const TrainingForecast*> all;
    for (const TrainingForecast& f : forecasts) {
        if (!f.counts()) { continue; }
        rows_of[f.table].push_back(&f);
        all[{f.table, f.row}] = &f;
    }
    std::vector<const TrainingForecast*> counted;
    std::map<Key, std::size_t> place;  // in what is simulated: the counted rows and the smallest runs of their series
    std::vector<const TrainingForecast*> simulated;
    const auto simulate = [&](const TrainingForecast* f) {
        if (place.emplace(Key{f->table, f->row}, simulated.size()).second) { simulated.push_back(f); }
    };
    for (auto& [table, rows] : rows_of) {
        const std::size_t taken = std::min(rows_a_table, rows.size());
        for (std::size_t i = 0; i < taken; ++i) {
            const TrainingForecast* f = counted.emplace_back(rows[sampled(i, rows.size(), taken)]);
            simulate(f);
            if (in_weak_series(*f)) { simulate(all.at({table, f->base_row})); }
        }
    }
    std::vector<Catalog> changed;
    for (std::size_t k = 0; k < training_constants().size(); ++k) {
        std::vector<double> changes(training_constants().size(), 0);
        changes[k] = step_of_slope;
        changed.push_back(scaled(catalog, changes));
    }
    const std::vector<RowSlope> each = parallel_map(
        simulated.size(), threads, [&](std::size_t i) { return slope_of(*simulated[i], catalog, changed); });
    std::vector<RowSlope> out;
    for (const TrainingForecast* f : counted) {
        const RowSlope& own = each[place.at({f->table, f->row})];
        RowSlope& row = out.emplace_back(own);
        row.weight = points_a_table / std::min<double>(rows_a_table, static_cast<double>(rows_of.at(f->table).size()));
        if (!in_weak_series(*f)) { continue; }
        const RowSlope& base = each[place.at({f->table, f->base_row})];
        RowSlope series = out.back();
        series.base = f->base_row;
        series.noise = series_noise;
        series.residual -= base.residual;
        for (std::size_t k = 0; k < series.slope.size(); ++k) { series.slope[k] -= base.slope[k]; }
        out.push_back(std::move(series));
    }
    return out;
}

std::vector<double> refitted_changes(const Catalog& catalog, const std::vector<RowSlope>& rows,
                                     const std::string& without) {
    std::vector<double> start;
    for (const TrainingConstant& constant : training_constants()) {
        start.push_back(std::log(constant.value / catalog.parts.at(constant.part).number(constant.figure)));
    }
    std::vector<RowSlope> others;
    std::ranges::copy_if(rows, std::back_inserter(others),
                         [&](const RowSlope& row) { return row.table->family != without; });
    return least_absolute(others, start, spreads());
}

void take_family_out(const FamilyOut& out, std::vector<TrainingForecast>& forecasts) {
    for (TrainingForecast& f : forecasts) {
        const auto found = out.seconds.find(f.table->id);
        const bool there = found != out.seconds.end() && f.row < found->second.size();
        f.family_out_s = there ? found->second[f.row] : 0;
    }
}

FamilyOut family_out(const std::vector<TrainingForecast>& forecasts, const std::vector<RowSlope>& rows,
                     const Catalog& catalog, std::size_t threads) {
    std::map<std::string, Catalog> without;
    for (const TrainingForecast& f : forecasts) {
        if (!without.contains(f.table->family)) {
            without.emplace(f.table->family, scaled(catalog, refitted_changes(catalog, rows, f.table->family)));
        }
    }
    const std::vector<double> seconds = parallel_map(forecasts.size(), threads, [&](std::size_t i) {
        const TrainingTable& table = *forecasts[i].table;
        const TrainingForecast f = forecast_row(table, forecasts[i].row, without.at(table.family));
        return f.failed.empty() ? f.forecast_s : 0.0;
    });
    FamilyOut out{training_fingerprint(forecasts), {}};
    for (std::size_t i = 0; i < forecasts.size(); ++i) { out.seconds[forecasts[i].table->id].push_back(seconds[i]); }
    return out;
}

std::string training_fingerprint(const std::vector<TrainingForecast>& forecasts) {
    std::string text;
    for (const TrainingForecast& f : forecasts) {
        text += fmt::format("{} {} {} {:.4g} {:.4g} {}\n", f.table->id, f.table->family, f.row, f.measured_s,
                            f.forecast_s, f.counts());
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
            for (const yaml::Node& item : member.items()) { out.seconds[member.name].push_back(item.as_double()); }
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
        text += fmt::format("  {}: [{:.4g}]\n", table, fmt::join(seconds, ", "));
    }
    write_atomically(file, text);
}

}  // namespace fabricast::inline validate_training
