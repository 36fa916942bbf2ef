#pragma once
// Measured transfers and their forecasts.

#include <string>

#include "base/json.hpp"
#include "models/catalog.hpp"
#include "validate/transfers/transfer_case.hpp"

namespace fabricast::inline validate_transfers {

// All steps: statements, scenarios, forecasts.
TransferComparison compare_transfers(const Measurement& measurement, const TransferAliases& table,
                                     const Catalog& catalog);

bool is_transfer(const Measurement& measurement);
std::string to_text(const TransferComparison& comparison);
Json to_json(const TransferComparison& comparison);

}  // namespace fabricast::inline validate_transfers
