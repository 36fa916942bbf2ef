#include "validate/training_families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/in_order.hpp"
#include "sim/io/text_file.hpp"
#include "sim/io/yaml.hpp"
#include "sim/percentile.hpp"

namespace fabricast {

namespace {

// A table counts as so many independent points, however many rows repeat each other; residuals are noise of so much.
constexpr double points_a_table = 8;
constexpr double noise = 0.03;
constexpr double step_of_slope = 0.05;  // of ln(figure)

// A x = b by elimination; A is symmetric and positive.
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

// The figure, and in every part that has it from this one the same.
void scale(Catalog& catalog, const TrainingConstant& constant, double factor) {
    Figure& figure = catalog.parts.find(constant.part)->second.figures.find(constant.figure)->second;
    figure.value.front() *= factor;
    figure.low80 *= factor;
    figure.high80 *= factor;
}

struct Place {
    std::size_t table, row;
};

std::vector<RowSlope> slopes(const std::vector<TrainingTable>& tables, const Catalog& catalog, std::size_t threads) {
    std::vector<Place> places;
    std::vector<std::size_t> rows_of(tables.size(), 0);
    for (std::size_t t = 0; t < tables.size(); ++t) {
        for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
            if (exclusion(tables[t], r).empty()) {
                places.push_back({t, r});
            }
        }
    }
    std::vector<Catalog> changed;
    for (const TrainingConstant& constant : training_constants()) {
        changed.push_back(catalog);
        scale(changed.back(), constant, std::exp(step_of_slope));
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
        for (std::size_t k = 0; k < changed.size(); ++k) {
            const TrainingConstant& constant = training_constants()[k];
            const bool used = base.used.contains({constant.part, constant.figure});
            const double moved = used ? forecast_row(table, row, changed[k]).forecast_s : base.forecast_s;
            out.slope.push_back(std::log(moved / base.forecast_s) / step_of_slope);
        }
        return out;
    };
    std::vector<RowSlope> all;
    in_order(places.size(), threads, one, [&](RowSlope row) {
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

}  // namespace

// Without any table: best matrix products and attention kernels as others measured them alone (docs/training.md,
// constants), a tenth lower for power; broad guesses elsewhere. What is one framework's own recipe stays.
const std::vector<TrainingConstant>& training_constants() {
    static const std::vector<TrainingConstant> list = {
        {"compute-h100", "gemm.bf16", 0.72, 0.08},
        {"compute-h100", "gemm.fp8", 0.64, 0.10},
        {"compute-h100", "gemm.fixed.narrow", 20e-6, 0.7},
        {"compute-h100", "elementwise.memory", 0.65, 0.15},
        {"compute-h100", "attention.cudnn", 0.575, 0.05},
        {"compute-h100", "attention.flash_2", 0.325, 0.05},
        {"compute-h100", "attention.triton", 0.20, 0.3},
        {"compute-h100-500w", "gemm.bf16", 0.57, 0.12},
        {"compute-h100-500w", "gemm.fp8", 0.51, 0.12},
        {"compute-h100-500w", "attention.flash_2", 0.26, 0.1},
        {"compute-a100", "gemm.bf16", 0.76, 0.05},
        {"compute-a100", "gemm.fp16", 0.76, 0.05},
        {"compute-a100", "elementwise.memory", 0.65, 0.15},
        {"compute-a100", "attention.flash_2", 0.60, 0.1},
        {"compute-a100", "attention.unfused", 0.60, 0.2},
        {"compute-v100", "gemm.fp16", 0.80, 0.1},
        {"compute-b200", "gemm.fp8", 0.60, 0.12},
        {"compute-b200", "gemm.fp4", 0.50, 0.3},
        {"compute-b200", "attention.cudnn", 0.45, 0.2},
        {"compute-gb200", "gemm.fp8", 0.60, 0.12},
        {"compute-gb200", "gemm.fp4", 0.50, 0.3},
        {"megatron", "step", 0.05, 0.7},
        {"mlperf", "step", 0.05, 0.7},
        {"pytorch-fsdp", "step", 0.05, 0.7},
        {"jax", "step", 0.05, 0.7},
        {"megatron", "growth.wide", 0.003, 0.5},
        {"megatron", "growth.narrow", 0.005, 0.5},
        {"pytorch-fsdp", "growth.wide", 0.003, 0.5},
        {"jax", "growth.wide", 0.003, 0.5},
        {"jax", "growth.narrow", 0.005, 0.5},
    };
    return list;
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

std::map<std::string, double> family_out_medians(const std::vector<TrainingTable>& tables, const Catalog& catalog,
                                                 std::size_t threads) {
    std::vector<double> start, spread;
    for (const TrainingConstant& constant : training_constants()) {
        start.push_back(std::log(constant.value / catalog.parts.at(constant.part).number(constant.figure)));
        spread.push_back(constant.spread);
    }
    const std::vector<RowSlope> all = slopes(tables, catalog, threads);
    std::set<std::string> families;
    for (const RowSlope& row : all) {
        families.insert(tables[row.table].family);
    }
    std::map<std::string, std::vector<double>> errors;
    for (const std::string& family : families) {
        std::vector<RowSlope> others;
        std::copy_if(all.begin(), all.end(), std::back_inserter(others),
                     [&](const RowSlope& row) { return tables[row.table].family != family; });
        const std::vector<double> x = least_absolute(others, start, spread);
        for (const RowSlope& row : all) {
            if (tables[row.table].family == family) {
                errors[tables[row.table].id].push_back(100 * std::abs(std::exp(residual_at(row, x)) - 1));
            }
        }
    }
    std::map<std::string, double> medians;
    for (const auto& [table, list] : errors) {
        medians[table] = percentile(list, 50).value_or(0);
    }
    return medians;
}

std::map<std::string, double> read_family_out(const std::filesystem::path& file) {
    std::map<std::string, double> medians;
    if (std::filesystem::exists(file)) {
        const yaml::Node root = yaml::read(file);
        for (const yaml::Node& member : root.members()) {
            medians[member.name] = member.as_double();
        }
    }
    return medians;
}

void write_family_out(const std::filesystem::path& file, const std::map<std::string, double>& medians) {
    std::string text =
        "# Made by `build/bin/fabricast-training-accuracy --families yes`: the median error of each table in %, its "
        "whole\n"
        "# family left out of the fit of models/catalog/training.yaml.\n";
    for (const auto& [table, percent] : medians) {
        text += fmt::format("{}: {:.3f}\n", table, percent);
    }
    write_atomically(file, text);
}

}  // namespace fabricast
