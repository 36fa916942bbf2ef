#pragma once
// A search of placements, as a table and as JSON; and files that say which rank runs where.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text_lines.hpp"
#include "sim/run/jobs/placement.hpp"

namespace fabricast::inline jobs {

std::string placement_table(const Scenario& scenario, const PlacementSearch& search, std::size_t width);
Json placement_json(const Scenario& scenario, const PlacementSearch& search);

// The hosts of a rank file, in the order of ranks: a host or a list of hosts a line, with what else mpirun wants behind
// it; or Open MPI's "rank 3=host slot=0". Ranks of one host stand together. Throws InputError.
std::vector<std::string> hosts_of_ranks(const TextLines& file);

}  // namespace fabricast::inline jobs
