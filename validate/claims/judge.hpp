#pragma once
// Judges claims: the value of every check by the catalogue, its range over draws of uncertain constants, the verdict.

#include <cstdint>
#include <string>
#include <vector>

#include "validate/claims/claim.hpp"
#include "validate/claims/observe.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline claims {

struct JudgedCheck {
    double value = 0;          // in the check's unit, under the default catalogue
    double low = 0, high = 0;  // lowest and highest over all draws and `value`
    bool holds = false;
};

struct JudgedClaim {
    const Claim* claim = nullptr;
    ClaimVerdict verdict = ClaimVerdict::reproduced;
    std::vector<JudgedCheck> checks;  // in the order of the claim's checks
};

// reproduced: every standing check holds. only_if: a standing check fails, but every check under the conditions of the
// source holds. contradicted: the claim has literal checks, the standing ones hold and the literal ones do not all
// hold. not_reproduced: everything else.
ClaimVerdict verdict_of(const Claim& claim, const std::vector<JudgedCheck>& checks);

// Judges the claims of a file, in order, under `draws` catalogues. Each draw has every uncertain constant drawn from
// its interval, and its own seed. `file` must outlive the result.
std::vector<JudgedClaim> judge(const ClaimFile& file, const Catalog& catalog, std::uint32_t draws);

struct JudgedFile {
    const ClaimFile* file = nullptr;
    std::vector<JudgedClaim> claims;
};

// seed_claims_reproduced, seed_claims_only_if, seed_claims_missed_unexplained and the others.
std::vector<NamedFigure> claim_figures(const std::vector<JudgedFile>& files);

// docs/seed-claims.md: every claim, what the simulation gives for it, and the verdict.
std::string claims_page(const std::vector<JudgedFile>& files, std::uint32_t draws);

}  // namespace fabricast::inline claims
