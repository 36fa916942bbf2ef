#pragma once
// `workload: {kind: trace}`: which recording is replayed, and what the user states about it.

#include <cstdint>
#include <string>

#include "base/units.hpp"

namespace fabricast::inline traces {

struct TraceWorkload {
    std::string file;  // a file, a folder or a name with `*`
    std::string format = "auto";
    std::string recorded_on;  // a GPU of the catalogue; empty: what the trace says
    std::uint32_t ranks = 0;  // ranks of the job; 0: what the trace says
    Bytes size;               // of an MSCCL algorithm's call; 0: what the file says
};

}  // namespace fabricast::inline traces
