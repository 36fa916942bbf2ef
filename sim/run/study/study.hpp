#pragma once
// Designs side by side: their performance, parts and cost, the Pareto set, and whether they differ significantly.
//
// Two designs share most of what makes a forecast uncertain: kernels, transports, link figures. So their difference is
// computed draw by draw, with each figure drawn once for all designs (draws.hpp), never from two intervals. Three
// things are drawn: the catalogue's constants, the prices, and how far forecasts were from measurements. This last
// error has three parts. The error of forecasts of one system is the same for all designs of that system. The stretches
// of the critical path that only one of two designs has get an error as large as the difference between two tables of
// one site; it is the same for stretches of one family and system. How evenly routing fills the trunks is drawn for
// each design separately.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "models/catalog.hpp"
#include "sim/run/study/evaluation.hpp"
#include "sim/run/study/ranking.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline studies {

// Whether a design differs from another one, by the interval of the ratio minus 1.
enum class Verdict : std::uint8_t { same, unclear, real };
std::string_view to_string(Verdict verdict);
struct Difference {
    std::string design, against;
    Range time, capital, value;       // without prices, the last two are 0
    std::string measure;              // what `value` is of: "cost of a token"; empty: the two have none in common
    Verdict verdict = Verdict::same;  // judged by `time`
    double shared = 0;                // share of the first design's time that both designs spend in the same way
    bool priced = false;
};

struct Study : Ranking {
    std::vector<DesignResult> designs;  // best first, those last of which it is not known
    std::vector<Difference> differences;
    std::uint32_t draws = 0;
};

struct StudyOptions {
    std::uint32_t draws = 64;
    std::uint64_t seed = 1;
    std::size_t threads = 1;
    StudyOrder order = StudyOrder::value;
    bool against_previous = false;  // each design is held against the one before it, not against the first
    bool efficiency = true;         // each design's scaling efficiency is forecast, too
};

// Throws as simulate does. Precondition: there are inputs, and at least 10 draws.
Study study(const std::vector<StudyInput>& inputs, const StudyOptions& options, const Watch& watch = {});

// Two designs have one name (exit code 2).
struct DesignsAlike : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// Reads a scenario with these overrides ("path=value"), beside those that it has anyway.
using ReadDesign = std::function<Scenario(const std::vector<std::string>& overrides)>;

// With each scenario's catalogue and prices. Throws InputError, DesignsAlike.
std::vector<StudyInput> study_inputs(const std::vector<ReadDesign>& scenarios,
                                     const std::function<Catalog(const Scenario&)>& catalog_of);

}  // namespace fabricast::inline studies
