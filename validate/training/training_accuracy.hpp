#pragma once
// Forecasts of every row of every training table, and of two null models: perfect linear scaling from the smallest run
// of a series, and 6 N D / peak rate at one MFU per kind of GPU and precision.

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
    std::string excluded;  // why the row does not count; empty: it does
    std::string failed;    // why there is no forecast; empty: there is one
    double measured_s = 0, forecast_s = 0, null_s = 0;
    double family_out_s = 0, null_out_s = 0;  // with constants fitted without the family of the table; 0: unknown
    double peak_s = 0;                        // 6 N D at the GPUs' peak rate: the time of the MFU null at an MFU of one
    std::string peak_kind;                    // GPUs and precisions that share one MFU
    std::vector<std::string> aspects;         // sim/report/step_evidence.hpp
    StepRow step;
    bool assumed = false;  // the table leaves something other than software open (see software_only)
    std::set<std::pair<std::string, std::string>> used;  // part and figure
    std::string label;
    // Throughput per GPU relative to the smallest run of the series; empty if the row has no series or is its smallest
    // run.
    std::optional<double> measured_efficiency, forecast_efficiency;

    bool compared() const { return failed.empty() && measured_s > 0; }
    bool counts() const { return excluded.empty() && compared(); }
    double error() const { return forecast_s / measured_s - 1; }
    double null_error() const { return null_s / measured_s - 1; }
};

// Forecasts one row, without efficiencies and null models.
TrainingForecast forecast_row(const TrainingTable& table, std::size_t row, const Catalog& catalog);

std::vector<TrainingForecast> forecast_tables(const std::vector<TrainingTable>& tables, const Catalog& catalog,
                                              std::size_t threads);

// Whether the setting concerns software that a published table hardly ever states: NCCL's version, the attention
// kernel, the width of gradients, overlap. Micro-batch, recomputation, parallel layout and precision do not belong to
// it.
bool software_only(const std::string& setting);

struct TableErrors {
    std::size_t rows = 0, points = 0;                   // rows with a forecast; rows of scaling series
    double median = 0, p90 = 0, largest = 0, bias = 0;  // of |forecast / measured - 1|; bias: median with sign
    double null_median = 0;
    double family_out = -1, null_out = -1;  // medians with the family left out; negative: unknown
    double efficiency = 0, linear = 0;      // median error of efficiency, in points: forecast and perfect scaling
};

// The rows that count, or all rows with a measured step.
enum class Rows : std::uint8_t { counted, all };
TableErrors table_errors(const std::vector<TrainingForecast>& forecasts, std::size_t table, Rows rows = Rows::counted);

// train_step_median_pct and so on, as `./dev accuracy` prints them. `train_all_...` covers every row with a measured
// step, excluded ones too.
std::vector<NamedFigure> training_figures(const std::vector<TrainingTable>& tables,
                                          const std::vector<TrainingForecast>& forecasts);

// The page with the table of rows; `figures` are shown at the top. `stale` says why the left-out forecasts belong to
// another state of the model; empty: they are current.
std::string training_page(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                          const std::vector<NamedFigure>& figures, const std::string& stale);
// One dot per table and model: median errors side by side, as SVG.
std::string training_chart(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts);
std::string training_csv(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts);

}  // namespace fabricast
