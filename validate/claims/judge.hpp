#pragma once
// Claims judged: every check's value under the default catalogue, its band over draws of what is uncertain, and the
// verdict that follows.

#include <cstdint>
#include <string>
#include <vector>

#include "validate/claims/claim.hpp"
#include "validate/claims/observe.hpp"
#include "validate/training/training_accuracy.hpp"

namespace fabricast {

struct JudgedCheck {
    double value = 0;          // in the check's unit, by default
    double low = 0, high = 0;  // lowest and highest of all draws and of the value itself
    bool holds = false;
};

struct JudgedClaim {
    const Claim* claim = nullptr;
    ClaimVerdict verdict = ClaimVerdict::reproduced;
    std::vector<JudgedCheck> checks;  // as the claim's
};

// contradicted: what stands against it holds, and the claim to the letter does not. reproduced: every standing check
// holds. only if: one does not, and each that is made under the source's conditions does.
ClaimVerdict verdict_of(const Claim& claim, const std::vector<JudgedCheck>& checks);

// `draws` catalogues, each with every uncertain constant drawn within its interval, and a seed of its own. Of each file
// the claims in order. `file` must outlive what is returned.
std::vector<JudgedClaim> judge(const ClaimFile& file, const Catalog& catalog, std::uint32_t draws);

// seed_claims_reproduced, seed_claims_only_if, seed_claims_missed_unexplained and the others.
std::vector<NamedFigure> claim_figures(const std::vector<JudgedClaim>& claims);

}  // namespace fabricast
