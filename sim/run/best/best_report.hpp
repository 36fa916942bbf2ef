#pragma once
// NCCL's choices beside the fastest ones: as a table, JSON, a page, and the file that NCCL's example tuner reads.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/html/page.hpp"
#include "sim/run/best/best_choices.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline best {

// A line for each size: NCCL's choice, the fastest, and what is gained by it.
std::string best_table(const Scenario& scenario, const std::vector<BestRow>& rows);

// All choices of each size, with their times.
Json best_json(const Scenario& scenario, const std::vector<BestRow>& rows);

html::Page best_page(const Scenario& scenario, const std::vector<BestRow>& rows);

// The CSV of NCCL's example tuner plugin (ext-tuner/example in its source: collective_type, min_bytes, max_bytes,
// algorithm, protocol, channels, nNodes, nRanks, numPipeOps, regBuff), for exactly this many nodes and ranks: a line
// for each range of sizes whose fastest choice gains more than the constants' uncertainty. Elsewhere NCCL keeps its
// own. A range reaches from its first size to just below the next size that was run.
std::string tuner_file(const Scenario& scenario, const Fabric& fabric, const std::vector<BestRow>& rows);

}  // namespace fabricast::inline best
