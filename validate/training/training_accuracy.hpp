#pragma once
// Every row of every training table forecast, beside two null models: perfect linear scaling from the smallest run of a
// series, and 6 N D over the peak at one MFU a GPU and precision.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "validate/score/named_figure.hpp"
#include "validate/training/training_table.hpp"

namespace fabricast {

struct TrainingForecast {
    std::size_t table = 0, row = 0;
    std::string excluded;  // why it does not count
    std::string failed;    // why there is no forecast
    double measured_s = 0, forecast_s = 0, null_s = 0;
    double family_out_s = 0, null_out_s = 0;  // of constants that no table of the family told; 0: unknown
    double peak_s = 0;                        // 6 N D at the GPUs' peak: the MFU null's time at an MFU of one
    std::string peak_kind;                    // GPUs and precisions that share one MFU
    std::vector<std::string> aspects;         // sim/report/step_evidence.hpp
    StepRow step;
    bool assumed = false;  // something the table does not state, beside software (see software_only)
    std::set<std::pair<std::string, std::string>> used;  // part and figure
    std::string label;
    // Throughput a GPU over that of the smallest run of the series, where the row has a series and is not its first.
    std::optional<double> measured_efficiency, forecast_efficiency;

    bool compared() const { return failed.empty() && measured_s > 0; }
    bool counts() const { return excluded.empty() && compared(); }
    double error() const { return forecast_s / measured_s - 1; }
    double null_error() const { return null_s / measured_s - 1; }
};

// One row, without efficiencies.
TrainingForecast forecast_row(const TrainingTable& table, std::size_t row, const Catalog& catalog);

std::vector<TrainingForecast> forecast_tables(const std::vector<TrainingTable>& tables, const Catalog& catalog,
                                              std::size_t threads);

// Whether the setting is a matter of software that a published table hardly ever states: NCCL's version, the attention
// kernel, the width of gradients, overlap. Micro-batch, recomputation, cut and precision are not.
bool software_only(const std::string& setting);

struct TableErrors {
    std::size_t rows = 0, points = 0;                   // forecast; of scaling series
    double median = 0, p90 = 0, largest = 0, bias = 0;  // of |forecast / measured - 1|; bias: signed median
    double null_median = 0;
    double family_out = -1, null_out = -1;  // medians with the family left out; below zero: unknown
    double efficiency = 0, linear = 0;      // median |points of efficiency| of the forecast, and of perfect scaling
};

// Of the rows that count, or of all that have a measured step.
enum class Rows : std::uint8_t { counted, all };
TableErrors table_errors(const std::vector<TrainingForecast>& forecasts, std::size_t table, Rows rows = Rows::counted);

// train_step_median_pct and so on, as `./dev accuracy` prints them. `train_all_...`: of every row that has a measured
// step, excluded ones too.
std::vector<NamedFigure> training_figures(const std::vector<TrainingTable>& tables,
                                          const std::vector<TrainingForecast>& forecasts);

// The page and the table of rows; `figures` stand on top of the page. `stale`: why left-out forecasts are of another
// state; empty: they are of this one.
std::string training_page(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                          const std::vector<NamedFigure>& figures, const std::string& stale);
// A dot a table and model: median errors side by side, as SVG.
std::string training_chart(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts);
std::string training_csv(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts);

}  // namespace fabricast
