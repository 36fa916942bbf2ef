#pragma once
// Measured transfers and their forecasts.

#include <string>

#include "base/json.hpp"
#include "models/catalog.hpp"
#include "validate/transfers/transfer_derive.hpp"

namespace fabricast::inline validate_transfers {

// All steps: statements, scenarios, forecasts.
TransferComparison compare_transfers(const Measurement& measurement, const Catalog& catalog);

std::string to_text(const TransferComparison& comparison);
Json to_json(const TransferComparison& comparison);

}  // namespace fabricast::inline validate_transfers
