#pragma once
// The figures on training that are printed and published.

#include "validate/training/training_accuracy.hpp"

namespace fabricast::inline validate_training {

// The compared rows: a table is a site, its family is the publisher.
std::vector<ComparedRow> training_rows(const std::vector<TrainingForecast>& forecasts);

struct TableErrors {
    const TrainingTable* table = nullptr;
    ErrorSummary ours, null;            // of the step time
    ErrorSummary family_out, null_out;  // the same with the family left out; no rows: unknown
    ErrorSummary efficiency, linear;    // of the scaling efficiency: forecast, and perfect scaling
};
// Of each table, in order: of the rows that count; of all rows if none does.
std::vector<TableErrors> table_errors(const std::vector<TrainingForecast>& forecasts);

// train_step_median_pct and so on, as `./dev accuracy` prints them. `train_all_...` covers every row with a measured
// step, excluded ones too.
std::vector<NamedFigure> training_figures(const std::vector<TrainingForecast>& forecasts);

// What the figures are computed from, one line for each row; and everything that is known about each row.
std::string training_csv(const std::vector<TrainingForecast>& forecasts);
std::string training_rows_csv(const std::vector<TrainingForecast>& forecasts);

}  // namespace fabricast::inline validate_training
