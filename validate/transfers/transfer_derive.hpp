#pragma once
// From the words of a file to the scenarios of its transfers.

#include "validate/transfers/transfer_case.hpp"

namespace fabricast {

// Throws InputError where the table is malformed.
TransferAliases parse_transfer_aliases(std::string_view yaml, const std::string& file);
const TransferAliases& builtin_transfer_aliases();

// Throws InputError for a file that no row understands.
TransferCase derive_transfers(const Measurement& measurement, const TransferAliases& table);

}  // namespace fabricast
