#pragma once
// One measurement and its forecasts: what `fabricast compare` prints and what the accuracy tool collects.

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "validate/curves/curve.hpp"
#include "validate/curves/derived.hpp"
#include "validate/curves/forecast.hpp"
#include "validate/import/measurement.hpp"
#include "validate/score/errors.hpp"
#include "validate/score/plot.hpp"

namespace fabricast::inline curves {

// --- two simple models that a forecast must beat, with the constants that their sources state;
// calibration/fitted_nulls.hpp has the same models with fitted constants

// The steps of the ring inside and between nodes.
struct Hops {
    double intra = 0, inter = 0;
};
Hops ring_hops(Collective collective, std::uint32_t ranks, std::uint32_t nodes);

// f * S / B in seconds, with the busbw factor f of nccl-tests, and B from the datasheet: NVLink (else PCIe) of one GPU,
// or all NICs of the node together.
double datasheet_wire_time(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric);

// Alpha-beta: 7 us + hops * (0.6 us inside a node, 3 us between nodes) + the wire time, in seconds. Source of the
// constants: facts nccl-mechanisms.md §1 (a).
constexpr double alpha_beta(const Hops& hops, double wire) {
    return 7e-6 + hops.intra * 0.6e-6 + hops.inter * 3e-6 + wire;
}

// The time that NCCL's tuning model predicts, in seconds. `expected` is its prediction for the choice that was made.
// The model does not cover sends and receives; for these the result is a constant 12 us plus the wire time. Source:
// facts nccl-mechanisms.md §1 (b).
constexpr double tuning_clock(double expected, double wire) { return expected > 0 ? expected : 12e-6 + wire; }

// --- the comparison

struct ComparedSize {
    CurvePoint measured;
    ForecastRow ours;
    double null_alphabeta = 0;
    double null_tuning = 0;
    Hops hops;        // hops of the ring, as alpha-beta counts them
    double wire = 0;  // f * S / B of alpha-beta, in seconds

    bool counts() const { return measured.left_out.empty(); }
    double error() const { return ours.seconds / measured.seconds - 1; }
};

// What the file leaves open, what else it may well be, and the share of the intervals' width that stating it takes off:
// the median over sizes, in logarithms.
struct Narrowing {
    std::string what, others;
    double share = 0;
};

struct Comparison {
    std::string id;
    std::string source;
    Derived derived;
    double busbw_factor = 1;
    std::vector<ComparedSize> sizes;
    std::vector<Narrowing> narrowing;  // the most first
};

// Uses `scenario` instead of the derived one if given. Throws InputError if the file is not understood, NotACurve if it
// has no size curve, and whatever building and planning throw.
Comparison compare(const Measurement& measurement, const Catalog& catalog, FabricCache& cache,
                   const std::optional<Scenario>& scenario = std::nullopt);

// For people: assumptions, one row per size with its signed error, and a summary by regime.
std::string to_text(const Comparison& comparison);
Json to_json(const Comparison& comparison);
// Measured and forecast time over size, with the signed error below.
std::string to_svg(const Comparison& comparison);

// The errors of the sizes that count; of one regime, if given.
ErrorSummary errors_of(const Comparison& comparison, std::optional<Regime> regime = std::nullopt);

// "owner/name, path" or the URL.
std::string source_line(const Measurement& measurement);

}  // namespace fabricast::inline curves
