#pragma once
// The machine of a transfer: understood or built as for collectives.

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_transfers {

struct TransferMachine {
    ClusterRequest cluster;  // one node or two
    std::vector<std::string> assumptions;
    double spread = 1;          // how far a forecast may be off for what was assumed, as a factor
    std::uint32_t far_gpu = 0;  // the first GPU of the other tray, where two trays of a rack are one node; 0: not so
    std::uint32_t drives = 0;   // that share the work of a benchmark of storage; 0: of another benchmark
    std::string uncounted;  // why a comparison with it does not count: the file does not say which GPU; empty: it does
};

// With at least as many GPUs as a matrix has columns for.
TransferMachine machine_of(const Measurement& measurement);

}  // namespace fabricast::inline validate_transfers
