#pragma once
// Which layout makes a training step fast: a search over layouts that fit the GPUs' memory. It is exact: layouts are
// forecast in the order of a time that none falls below (sim/plan/training/step_bound.hpp), until the best of them are
// faster than what is left can be.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/report/report.hpp"
#include "sim/run/layouts/layout_space.hpp"
#include "sim/run/study/study.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline layouts {

struct FoundLayout {
    LayoutChoice choice{};
    std::uint32_t data = 1;
    StepRow row;
    double memory_share = 0;                          // of the GPU's memory that the step fills, as it is counted
    bool may_not_fit = false;                         // the high end of what it needs is more than the GPU has
    bool left_out = false;                            // of the search: the memory is too small for it
    std::optional<studies::Difference> to_next = {};  // against the next of the list; none: not judged
};

struct LayoutSearch {
    std::vector<FoundLayout> best;       // fastest first
    std::optional<FoundLayout> written;  // the scenario's own layout, if it can run and is none of the best
    std::size_t layouts = 0;             // that fit model, batch and cluster
    std::size_t too_large = 0;           // of them, those that need more memory than there is
    std::size_t forecast = 0;            // of the others: forecast, and refused by the planner
    std::size_t refused = 0;
    std::size_t pruned() const { return layouts - too_large - forecast - refused; }
    bool stopped = false;  // before the best were certain
    LayoutChoice own{};    // the scenario's
    std::string scenario, gpu;
    std::vector<std::string> notes;
};

// Seconds of a layout by words_of(), or why its planner refuses it.
struct LayoutOutcome {
    double seconds = 0;
    std::string refused;
    std::optional<StepRow> row = {};  // none: of an earlier search
};
using LayoutOutcomes = std::map<std::string, LayoutOutcome, std::less<>>;

struct LayoutSearchOptions {
    AllowedLayouts allowed;
    std::size_t best = 12;
    double memory_margin = 0;   // share of the GPU's memory to leave free
    std::uint32_t draws = 16;   // that differences are judged by, as a study does; 0: they are not
    std::size_t threads = 1;    // the result does not depend on it
    bool exhaustive = false;    // forecast every layout: the tests' oracle
    LayoutOutcomes known = {};  // of an earlier search
    std::function<void(const std::string& words, const LayoutOutcome&)> finished = {};
};

// Throws InputError if the scenario is of no training step or has no global batch, or if no layout fits: then the
// message says which one comes nearest, and on how many nodes one would.
LayoutSearch search_layouts(const Scenario& scenario, const Catalog& catalog, const LayoutSearchOptions& options,
                            const Watch& watch = {});

}  // namespace fabricast::inline layouts
