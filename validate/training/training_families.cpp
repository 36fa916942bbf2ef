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

// The catalogue with every figure multiplied by the factor of its constant.
Catalog scaled(const Catalog& catalog, const std::vector<double>& factors) {
    Catalog out = catalog;
    for (auto& [name, part] : out.parts) {
        if (!is_refitted(part)) { continue; }
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

}  // namespace

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
            const double residual = std::inner_product(x.begin(), x.end(), row.slope.begin(), row.residual);
            const double weight = row.weight / (noise * std::max(std::abs(residual), 0.2 * noise));
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t j = 0; j < n; ++j) { a[k][j] += weight * row.slope[k] * row.slope[j]; }
                b[k] -= weight * row.slope[k] * row.residual;
            }
        }
        x = solve(std::move(a), std::move(b));
    }
    return x;
}

std::vector<RowSlope> slopes(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog,
                             std::size_t threads) {
    std::vector<const TrainingForecast*> counted;
    std::map<const TrainingTable*, double> rows_of;
    for (const TrainingForecast& f : forecasts) {
        if (f.counts()) {
            counted.push_back(&f);
            rows_of[f.table] += 1;
        }
    }
    std::vector<Catalog> changed;
    for (std::size_t k = 0; k < training_constants().size(); ++k) {
        std::vector<double> factors(training_constants().size(), 1);
        factors[k] = std::exp(step_of_slope);
        changed.push_back(scaled(catalog, factors));
    }
    return parallel_map(counted.size(), threads, [&](std::size_t i) {
        const TrainingForecast& base = *counted[i];
        std::set<std::size_t> used;
        for (const auto& [part, figure] : base.used) {
            const Part* known = catalog.find(part);
            if (known != nullptr && is_refitted(*known)) {
                used.insert(constant_behind(catalog, part, figure).value_or(changed.size()));
            }
        }
        RowSlope out{
            base.table, points_a_table / rows_of.at(base.table), std::log(base.forecast_s / base.measured_s), {}};
        for (std::size_t k = 0; k < changed.size(); ++k) {
            const double moved =
                used.contains(k) ? forecast_row(*base.table, base.row, changed[k]).forecast_s : base.forecast_s;
            out.slope.push_back(std::log(moved / base.forecast_s) / step_of_slope);
        }
        return out;
    });
}

Catalog refitted(const Catalog& catalog, const std::vector<RowSlope>& rows, const std::string& without) {
    std::vector<double> start, spread;
    for (const TrainingConstant& constant : training_constants()) {
        start.push_back(std::log(constant.value / catalog.parts.at(constant.part).number(constant.figure)));
        spread.push_back(constant.spread);
    }
    std::vector<RowSlope> others;
    std::ranges::copy_if(rows, std::back_inserter(others),
                         [&](const RowSlope& row) { return row.table->family != without; });
    std::vector<double> factors = least_absolute(others, start, spread);
    std::ranges::transform(factors, factors.begin(), [](double change) { return std::exp(change); });
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
            without.emplace(f.table->family, refitted(catalog, rows, f.table->family));
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
