#pragma once
// Reads the claims files.

#include "validate/claims/claim.hpp"

namespace fabricast::inline claims {

// Every file of a folder, by name. Throws InputError if one is malformed.
std::vector<ClaimFile> read_claims(const std::filesystem::path& folder);

}  // namespace fabricast::inline claims
