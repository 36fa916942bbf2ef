#pragma once
// The memory check against published layouts: those that ran must not be refused, and of those that ran out of memory
// as many as possible.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/training/memory.hpp"
#include "validate/training/training_accuracy.hpp"

namespace fabricast {

struct MemoryVerdict {
    std::size_t table = 0, row = 0;
    bool ran = false;
    StepMemory needs;                // of the fullest GPU
    double has = 0;                  // bytes
    std::optional<double> measured;  // bytes, where the table states them
    bool refused() const { return needs.low80 > has; }
};

// Tables with a `layouts:` beside those with a `forecast:`: a step column of "OOM" is a run out of memory.
std::vector<TrainingTable> read_layout_tables(const std::filesystem::path& folder);

// Of each row whose outcome is known. Left out: tables excluded as a whole, and rows of which it is assumed what is
// computed again.
std::vector<MemoryVerdict> memory_verdicts(const std::vector<TrainingTable>& tables, const Catalog& catalog);

std::vector<NamedFigure> memory_figures(const std::vector<MemoryVerdict>& verdicts);
// By table: rows that ran and were refused, rows that ran out and were; as Markdown.
std::string memory_lines(const std::vector<TrainingTable>& tables, const std::vector<MemoryVerdict>& verdicts);

}  // namespace fabricast
