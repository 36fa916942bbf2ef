#pragma once
// Several jobs on one fabric, as a table, as JSON and as a page.

#include <string>

#include "base/json.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/html/page.hpp"
#include "sim/run/jobs/job_mix.hpp"

namespace fabricast::inline jobs {

// A line for each job, then how much each is slower beside each other one.
std::string mix_table(const Scenario& scenario, const JobMix& mix, std::size_t width);

Json mix_json(const Scenario& scenario, const JobMix& mix);
Records mix_records(const JobMix& mix);
html::Page mix_page(const Scenario& scenario, const JobMix& mix);

}  // namespace fabricast::inline jobs
