#pragma once
// docs/seed-claims.md: every claim, what the simulation gives for it, and the verdict.

#include <cstdint>
#include <string>
#include <vector>

#include "validate/claims/judge.hpp"

namespace fabricast::inline claims {

std::string claims_page(const std::vector<JudgedFile>& files, std::uint32_t draws);

}  // namespace fabricast::inline claims
