#pragma once
// Several jobs on one fabric, as a table, as JSON and as a page.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text_lines.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/html/page.hpp"
#include "sim/run/jobs/job_mix.hpp"
#include "sim/run/jobs/placement.hpp"

namespace fabricast::inline jobs {

// A line for each job, then how much each is slower beside each other one.
std::string mix_table(const Scenario& scenario, const JobMix& mix, std::size_t width);

Json mix_json(const Scenario& scenario, const JobMix& mix);
Records mix_records(const JobMix& mix);
html::Page mix_page(const Scenario& scenario, const JobMix& mix);

// A search of placements, as a table and as JSON; and files that say which rank runs where.

std::string placement_table(const Scenario& scenario, const PlacementSearch& search, std::size_t width);
Json placement_json(const Scenario& scenario, const PlacementSearch& search);

// The hosts of a rank file, in the order of ranks: a host or a list of hosts a line, with what else mpirun wants behind
// it; or Open MPI's "rank 3=host slot=0". Ranks of one host stand together. Throws InputError.
std::vector<std::string> hosts_of_ranks(const TextLines& file);

}  // namespace fabricast::inline jobs
