#pragma once
// docs/accuracy-training.md and its chart.

#include <string>
#include <vector>

#include "validate/training/training_accuracy.hpp"
#include "validate/training/training_memory.hpp"

namespace fabricast {

// The tables whose layouts the memory check judged, and its verdicts.
struct JudgedLayouts {
    std::vector<TrainingTable> tables;
    std::vector<MemoryVerdict> verdicts;
};

// `figures` are shown at the top. `stale` says why the left-out forecasts belong to another state of the model; empty:
// they are current.
std::string training_page(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                          const JudgedLayouts& layouts, const std::vector<NamedFigure>& figures,
                          const std::string& stale);

// One dot per table and model: median errors side by side, as SVG.
std::string training_chart(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts);

}  // namespace fabricast
