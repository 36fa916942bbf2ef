#pragma once
// The phases of a training step on the fabric: which kind of communication is under way when.

#include <string>
#include <vector>

#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report::html {

// A lane for each kind of communication, of all stages together. Short pauses are left out where there would be more
// spans than a page can show; no lanes if nothing communicates.
Activity phases_of(const std::vector<TraceSpan>& trace);

// ", tensor-parallel, pipeline": the lanes with something under way in [begin, end).
std::string running_at(const Activity& phases, Time begin, Time end);

}  // namespace fabricast::inline report::html
