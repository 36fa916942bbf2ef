#pragma once
// Tests the memory check on published layouts: it must not refuse those that ran, and should refuse as many as possible
// of those that ran out of memory.

#include <optional>
#include <string>
#include <vector>

#include "sim/plan/training/memory.hpp"
#include "validate/training/training_accuracy.hpp"

namespace fabricast::inline validate_training {

struct MemoryVerdict {
    std::string table;  // its id
    std::size_t row = 0;
    bool ran = false;
    StepMemory needs;                // need of the GPU that needs most
    double has = 0;                  // bytes
    std::optional<double> measured;  // bytes, if the table states them
    bool refused() const { return needs.low80 > has; }
};

// One verdict per row whose outcome is known, in order; a step column of "OOM" means that the run was out of memory.
// Tables that only have layouts have the key `layouts:` instead of `forecast:`. Left out: excluded rows, and rows whose
// recomputation is only assumed.
std::vector<MemoryVerdict> memory_verdicts(const std::vector<TrainingTable>& tables, const Catalog& catalog);

// The layout of the same table that ran, though by each count (parameters, gradients, optimizer, activations) it needs
// as much as this one, which ran out of memory; null: none. A check that counts these cannot tell the two apart.
const MemoryVerdict* contradicted_by(const MemoryVerdict& out_of_memory, const std::vector<MemoryVerdict>& verdicts);

std::vector<NamedFigure> memory_figures(const std::vector<MemoryVerdict>& verdicts);
// Markdown, by table: rows that ran and how many of them were refused; rows that ran out of memory and how many of them
// were refused.
std::string memory_lines(const std::vector<MemoryVerdict>& verdicts);
// Every verdict with its terms in GB.
std::string memory_csv(const std::vector<MemoryVerdict>& verdicts);

}  // namespace fabricast::inline validate_training
