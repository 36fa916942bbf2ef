#pragma once
// docs/accuracy-training.md and its chart.

#include <string>
#include <vector>

#include "validate/training/training_accuracy.hpp"
#include "validate/training/training_intervals.hpp"
#include "validate/training/training_memory.hpp"

namespace fabricast::inline validate_training {

// `verdicts` are those of the memory check on layouts; `figures` are shown at the top. `stale` says why the left-out
// forecasts belong to another state of the model; empty: they are current.
std::string training_page(const std::vector<TrainingForecast>& forecasts, const std::vector<MemoryVerdict>& verdicts,
                          const TrainingCoverage& coverage, const std::vector<NamedFigure>& figures,
                          const std::string& stale);

// One dot per table and model: median errors side by side, as SVG.
std::string training_chart(const std::vector<TrainingForecast>& forecasts);

}  // namespace fabricast::inline validate_training
