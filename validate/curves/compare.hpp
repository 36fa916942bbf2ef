#pragma once
// One measurement beside its forecasts: what `fabricast compare` prints, and what the accuracy tool collects.

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "validate/curves/curve.hpp"
#include "validate/curves/derived.hpp"
#include "validate/curves/forecast.hpp"
#include "validate/curves/null_models.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/measurement.hpp"
#include "validate/score/plot.hpp"
#include "validate/score/regime.hpp"

namespace fabricast {

struct ComparedSize {
    CurvePoint measured;
    ForecastRow ours;
    double null_alphabeta = 0;
    double null_tuning = 0;
    Hops hops;        // of the ring that alpha-beta counts
    double wire = 0;  // its f * S / B, seconds
};

struct Comparison {
    std::string id;
    std::string source;
    Derived derived;
    double busbw_factor = 1;
    std::vector<ComparedSize> sizes;
};

// Throws InputError where the file is not understood, NotACurve where it holds no size curve, and what building and
// planning throw. `scenario` replaces the derived one.
Comparison compare(const Measurement& measurement, const AliasTable& table, const Catalog& catalog, FabricCache& cache,
                   const std::optional<Scenario>& scenario = std::nullopt);

// For people: assumptions, a row a size with its signed error, and a summary by regime.
std::string to_text(const Comparison& comparison);
Json to_json(const Comparison& comparison);
// Time over size, measured and forecast, with the signed error below.
std::string to_svg(const Comparison& comparison);

// "owner/name, path" or the URL.
std::string source_line(const Measurement& measurement);

}  // namespace fabricast
