#pragma once
// How wide the 80 % interval of a training step must be, depending on how similar the published tables are. It is
// computed from forecasts of table families that neither the constants nor the list of known aspects had seen.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/report/summarize_training.hpp"
#include "validate/score/errors.hpp"
#include "validate/training/training_accuracy.hpp"

namespace fabricast::inline validate_training {

// The aspects of the rows that count, each with its largest number of GPUs; rows of the family `without` are ignored.
AspectsMet aspects_of(const std::vector<TrainingForecast>& forecasts, const std::string& without = "");

// Intervals by evidence, from all rows with a left-out forecast (excluded ones too), with equal weight for each table.
// Weaker evidence never has a narrower interval; if no table has an evidence, its interval is that of the next stronger
// one, 1.5 times as wide in logarithms.
using TrainingRanges = std::map<Evidence, RatioRange>;
TrainingRanges training_ranges(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog);

// Left-out rows, and how many of them lie inside the intervals computed from the other families.
struct InsideCount {
    double rows = 0, inside = 0;
    void add(bool in) { rows += 1, inside += in ? 1 : 0; }
    double pct() const { return 100 * inside / std::max(1.0, rows); }
};

// Of the rows that count, by family and by table, and of all rows.
struct TrainingCoverage {
    std::map<std::string, InsideCount> families, tables;
    InsideCount all;

    std::vector<NamedFigure> figures() const;
    std::string lines() const;  // of the page, one for each family
};
TrainingCoverage training_coverage(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog);

// models/catalog/training_intervals.yaml: parts `training-tables` and `training-intervals`.
std::string training_intervals_yaml(const AspectsMet& met, const TrainingRanges& ranges);

}  // namespace fabricast::inline validate_training
