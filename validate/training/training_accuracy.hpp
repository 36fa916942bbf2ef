#pragma once
// Forecasts of every row of every training table, and of two null models: perfect linear scaling from the smallest run
// of a series, and 6 N D / peak rate at one MFU per kind of GPU and precision.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "validate/score/errors.hpp"
#include "validate/score/page.hpp"
#include "validate/training/training_table.hpp"

namespace fabricast::inline validate_training {

struct TrainingForecast {
    const TrainingTable* table = nullptr;
    std::size_t row = 0;
    std::string excluded;  // why the row does not count; empty: it does
    std::string failed;    // why there is no forecast; empty: there is one
    double measured_s = 0, forecast_s = 0, null_s = 0;
    double family_out_s = 0, null_out_s = 0;  // with constants fitted without the family of the table; 0: unknown
    double peak_s = 0;                        // 6 N D at the GPUs' peak rate: the time of the MFU null at an MFU of one
    double memory_share = 0;                  // of the GPU's memory, that the step needs with three chances in four
    std::string peak_kind;                    // GPUs and precisions that share one MFU
    std::vector<std::string> aspects;         // sim/report/summarize_training.hpp
    std::map<std::string, double> spreads;    // of aspects, of ln(forecast_s)
    StepRow step;
    double sequence = 0;  // tokens; 0: images
    std::uint32_t micro_batch = 0;
    bool assumed = false;                                // the table leaves something other than software open
    std::set<std::pair<std::string, std::string>> used;  // part and figure
    std::string label;
    // Throughput per GPU relative to the smallest run of the series; empty if the row has no series or is its smallest
    // run. A series that scales weakly keeps each GPU's work, one that scales strongly the whole batch.
    TableScaling scaling = TableScaling::none;  // of the series
    std::optional<double> measured_efficiency, forecast_efficiency;
    std::size_t base_row = 0;  // of the table: that smallest run, where there are efficiencies

    bool compared() const { return failed.empty() && measured_s > 0; }
    bool counts() const { return excluded.empty() && compared(); }
};

// Forecasts one row, without efficiencies and null models.
TrainingForecast forecast_row(const TrainingTable& table, std::size_t row, const Catalog& catalog);

// Of every row of the tables, in order. `tables` must outlive the forecasts.
std::vector<TrainingForecast> forecast_tables(const std::vector<TrainingTable>& tables, const Catalog& catalog,
                                              std::size_t threads);

}  // namespace fabricast::inline validate_training
