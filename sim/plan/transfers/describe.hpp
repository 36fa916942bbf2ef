#pragma once
// Describes a chosen data path to the user, hop by hop.

#include <string>

#include "sim/plan/transfers/exchange.hpp"

namespace fabricast {

std::string describe(const Exchange& exchange, const TransferWorkload& workload, const Fabric& fabric);

}  // namespace fabricast
