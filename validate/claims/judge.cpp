#include "validate/claims/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/run/study/draws.hpp"

namespace fabricast::inline claims {

namespace {

// Four digits, enough to see the effect of a tolerance of one in a thousand.
std::string number(double value) {
    const bool whole = value == std::floor(value) && std::abs(value) < 1e6;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string range(double low, double high) { return low == high ? number(low) : number(low) + " – " + number(high); }

std::string asked(const Check& check) {
    switch (check.role) {
        case CheckRole::literal: return range(check.low, check.high) + " (to the letter)";
        case CheckRole::condition: return range(check.low, check.high) + " (condition)";
        case CheckRole::shown: return "–";
        case CheckRole::standing: break;
    }
    return range(check.low, check.high);
}

std::string check_row(const Check& check, const JudgedCheck& judged, std::uint32_t draws) {
    const bool moves = judged.high - judged.low > 1e-9 * std::abs(judged.high);
    const char* holds = check.role == CheckRole::shown ? "" : judged.holds ? "yes" : "no";
    return fmt::format("| {} | {} | {} | {} | {} | {} |\n", check.what, check.unit, number(judged.value),
                       draws == 0 ? ""
                       : moves    ? range(judged.low, judged.high)
                                  : "no chance",
                       asked(check), holds);
}

std::string claim_text(const JudgedClaim& judged, std::uint32_t draws) {
    const Claim& claim = *judged.claim;
    std::string out =
        fmt::format("### {}: {}\n\n{} *Known* ({}): {}. *Source:* {}.\n\n", claim.id, to_string(judged.verdict),
                    claim.says, to_string(claim.standing), claim.known, claim.source);
    out += fmt::format("| quantity | unit | default | {} seeds | asked | holds |\n|---|---|---|---|---|---|\n", draws);
    for (std::size_t i = 0; i < judged.checks.size(); ++i) {
        out += check_row(claim.checks[i], judged.checks[i], draws);
    }
    if (!claim.conditions.empty()) { out += "\n*Conditions:* " + claim.conditions + "\n"; }
    if (!claim.note.empty()) { out += "\n" + claim.note + "\n"; }
    if (!claim.explained.empty()) {
        out += claim.explained == "deviations" ? "\nExplained in [deviations.md](deviations.md).\n"
                                               : "\nThe cause is shown by the test \"" + claim.explained + "\".\n";
    }
    return out + "\n";
}

std::string summary(const std::vector<JudgedFile>& files) {
    std::string out = "| claim | known | verdict |\n|---|---|---|\n";
    for (const JudgedFile& file : files) {
        for (const JudgedClaim& claim : file.claims) {
            out += fmt::format("| {}: {} | {} | {} |\n", claim.claim->id, claim.claim->says,
                               to_string(claim.claim->standing), to_string(claim.verdict));
        }
    }
    return out;
}

bool all_hold(const Claim& claim, const std::vector<JudgedCheck>& checks, CheckRole role) {
    for (std::size_t i = 0; i < checks.size(); ++i) {
        if (claim.checks[i].role == role && !checks[i].holds) { return false; }
    }
    return true;
}

bool has(const Claim& claim, CheckRole role) {
    return std::ranges::any_of(claim.checks, [&](const Check& check) { return check.role == role; });
}

double in_unit(const Check& check, Observer& observer) { return observer.value(check.of) / claim_unit(check.unit); }

}  // namespace

ClaimVerdict verdict_of(const Claim& claim, const std::vector<JudgedCheck>& checks) {
    const bool stands = all_hold(claim, checks, CheckRole::standing);
    if (has(claim, CheckRole::literal)) {
        const bool to_the_letter = all_hold(claim, checks, CheckRole::literal);
        return !stands         ? ClaimVerdict::not_reproduced
               : to_the_letter ? ClaimVerdict::reproduced
                               : ClaimVerdict::contradicted;
    }
    if (stands) { return ClaimVerdict::reproduced; }
    return has(claim, CheckRole::condition) && all_hold(claim, checks, CheckRole::condition)
               ? ClaimVerdict::only_if
               : ClaimVerdict::not_reproduced;
}

std::vector<JudgedClaim> judge(const ClaimFile& file, const Catalog& catalog, std::uint32_t draws) {
    std::vector<JudgedClaim> judged;
    Observer by_default(file, catalog);
    for (const Claim& claim : file.claims) {
        JudgedClaim j{&claim, {}, {}};
        for (const Check& check : claim.checks) {
            const double value = in_unit(check, by_default);
            j.checks.push_back({value, value, value, value >= check.low && value <= check.high});
        }
        j.verdict = verdict_of(claim, j.checks);
        judged.push_back(std::move(j));
    }
    for (std::uint32_t i = 0; i < draws; ++i) {
        const Catalog drawn = drawn_catalog(catalog, {1, i});
        Observer observer(file, drawn, i + 1);
        for (JudgedClaim& claim : judged) {
            for (std::size_t c = 0; c < claim.checks.size(); ++c) {
                const double value = in_unit(claim.claim->checks[c], observer);
                claim.checks[c].low = std::min(claim.checks[c].low, value);
                claim.checks[c].high = std::max(claim.checks[c].high, value);
            }
        }
    }
    return judged;
}

std::vector<NamedFigure> claim_figures(const std::vector<JudgedFile>& files) {
    std::vector<JudgedClaim> claims;
    for (const JudgedFile& file : files) { claims.insert(claims.end(), file.claims.begin(), file.claims.end()); }
    const auto count = [&](ClaimVerdict verdict) {
        return static_cast<double>(
            std::ranges::count_if(claims, [&](const JudgedClaim& claim) { return claim.verdict == verdict; }));
    };
    const auto unexplained = std::ranges::count_if(claims, [](const JudgedClaim& claim) {
        const bool must = claim.claim->standing == Standing::ok || claim.claim->standing == Standing::model;
        const bool missed = claim.verdict == ClaimVerdict::only_if || claim.verdict == ClaimVerdict::not_reproduced;
        return must && missed && claim.claim->explained.empty();
    });
    return {{"seed_claims", static_cast<double>(claims.size()), "claims"},
            {"seed_claims_reproduced", count(ClaimVerdict::reproduced), "claims"},
            {"seed_claims_only_if", count(ClaimVerdict::only_if), "claims"},
            {"seed_claims_contradicted", count(ClaimVerdict::contradicted), "claims"},
            {"seed_claims_not_reproduced", count(ClaimVerdict::not_reproduced), "claims"},
            {"seed_claims_missed_unexplained", static_cast<double>(unexplained), "claims"}};
}

std::string claims_page(const std::vector<JudgedFile>& files, std::uint32_t draws) {
    std::string claims;
    for (const JudgedFile& file : files) {
        claims += "\n## " + file.file->title + "\n\n";
        for (const JudgedClaim& claim : file.claims) { claims += claim_text(claim, draws); }
    }
    while (claims.ends_with("\n\n")) { claims.pop_back(); }
    std::string figures;
    for (const NamedFigure& figure : claim_figures(files)) {
        figures += fmt::format("| `{}` | {:.0f} |\n", figure.name, figure.value);
    }
    return filled_page(
        "seed-claims.md",
        {{"seeds", fmt::format("{}", draws)}, {"figures", figures}, {"summary", summary(files)}, {"claims", claims}});
}

}  // namespace fabricast::inline claims
