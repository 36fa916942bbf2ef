#pragma once
// "Is my number normal?" A measured curve beside what is expected of its system, and each known cause simulated on that
// system and held against the curve. That nothing is wrong, and that no known cause fits, are answers too.

#include <optional>
#include <string>
#include <vector>

#include "validate/curves/compare.hpp"
#include "validate/diagnose/causes.hpp"
#include "validate/diagnose/misfit.hpp"

namespace fabricast {

enum class Finding : std::uint8_t { nothing_wrong, likely_cause, several_fit, none_fits };

struct RankedCause {
    const Cause* cause = nullptr;
    Misfit fit;
    double degree = 1;                // the likeliest, where the cause has degrees
    double slowdown = 1;              // forecast with the cause over the healthy one, at the size where it shows most
    Bytes slowest{};                  // that size
    std::vector<double> seconds;      // one a size that counts
    std::vector<const Cause*> alike;  // causes that make the same curve: no log of this kind can tell them apart
};

struct Diagnosis {
    Finding verdict = Finding::nothing_wrong;
    Misfit healthy_fit;
    double healthy_limit = 0;         // the distance that a healthy log may have
    std::vector<RankedCause> ranked;  // likeliest first; causes that change this curve
    std::size_t named = 0;            // the first so many fit about equally well
    std::vector<std::string> unseen;  // causes that would not show in this curve
    std::vector<TimedRow> rows;
    std::vector<ForecastRow> healthy;  // one a row
};

// `scenario` is the healthy system. Throws what building and planning it throw.
Diagnosis diagnose(const Scenario& scenario, const std::vector<TimedRow>& rows, const Catalog& catalog);

// For people.
std::string to_text(const Diagnosis& diagnosis, const std::string& id, const std::vector<std::string>& assumptions);
Json to_json(const Diagnosis& diagnosis, const std::string& id);

}  // namespace fabricast
