#include "validate/claims/claims_page.hpp"

#include <fmt/format.h>

#include <cmath>

#include "validate/score/page.hpp"

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

}  // namespace

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
