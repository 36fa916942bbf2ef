#pragma once
// How wide the 80 % interval of a training step must be, by how near the published tables are: from forecasts of
// families of tables that neither the constants nor the list of what was met had seen.

#include <map>
#include <string>
#include <vector>

#include "sim/report/step_evidence.hpp"
#include "validate/accuracy/intervals.hpp"
#include "validate/training/training_accuracy.hpp"

namespace fabricast {

// The aspects of the rows that count, and the largest number of GPUs of each; without a family's.
AspectsMet aspects_of(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                      const std::string& without = "");

// By evidence, of all rows with a left-out forecast, excluded ones too; tables weigh the same. A weaker word is never
// narrower, and half as wide again, in logarithms, where no table has it.
using TrainingRanges = std::map<Evidence, RatioRange>;
TrainingRanges training_ranges(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                               const Catalog& catalog, const std::string& without = "");

// Shares of left-out rows inside the intervals that the other families tell, of those that count and of all.
std::vector<NamedFigure> training_coverage(const std::vector<TrainingTable>& tables,
                                           const std::vector<TrainingForecast>& forecasts, const Catalog& catalog);

// models/catalog/training_intervals.yaml: parts `training-tables` and `training-intervals`.
std::string training_intervals_yaml(const AspectsMet& met, const TrainingRanges& ranges);

}  // namespace fabricast
