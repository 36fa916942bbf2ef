#pragma once
// Derives the scenarios of a file's transfers from its statements.

#include "validate/transfers/transfer_case.hpp"

namespace fabricast::inline validate_transfers {

// Throws InputError if the table is malformed.
TransferAliases parse_transfer_aliases(std::string_view yaml, const std::string& file);
const TransferAliases& builtin_transfer_aliases();

// Throws InputError for a file that no row of the table matches.
TransferCase derive_transfers(const Measurement& measurement, const TransferAliases& table);

}  // namespace fabricast::inline validate_transfers
