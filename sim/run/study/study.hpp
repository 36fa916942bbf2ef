#pragma once
// Designs side by side: what each does, what it is made of and costs, which of them nothing beats, and whether they
// differ.
//
// Two designs share most of what a forecast is unsure of: kernels, transports, link figures. So their difference is
// made draw by draw, each figure drawn once for all designs (draws.hpp), never from two intervals. Three things are
// drawn: the catalogue's constants, the prices, and how far forecasts were from measurements. Of the last, what designs
// of one system have in common moves both alike; the stretches of the critical path that only one of them has move by
// as much as two tables of one site were apart, alike where they are of one family and system; how evenly routing fills
// trunks is each design's own.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/run/study/design.hpp"
#include "sim/run/study/draws.hpp"
#include "sim/run/study/parts_list.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

enum class StudyOrder : std::uint8_t { value, time, capital, power };
std::string_view to_string(StudyOrder order);  // "value": cost per token, or capital per bus bandwidth

// Of a design against the first, as ratio - 1.
enum class Verdict : std::uint8_t { same, unclear, real };
std::string_view to_string(Verdict verdict);
struct Difference {
    std::string design, against;
    Range time, capital, value;       // value: cost per token, or capital per busbw; all zero where a price is missing
    Verdict verdict = Verdict::same;  // of the time
    double shared = 0;                // of the first's time, the share that both spend alike
    bool priced = false;
};

struct Study {
    std::vector<DesignResult> designs;  // best first
    std::vector<Difference> differences;
    StudyOrder order = StudyOrder::value;
    std::uint32_t draws = 0;
};

struct StudyOptions {
    std::uint32_t draws = 64;
    std::uint64_t seed = 1;
    std::size_t threads = 1;
    StudyOrder order = StudyOrder::value;
};

// Throws as simulate does. Precondition: there are inputs, and at least 10 draws.
Study study(const std::vector<StudyInput>& inputs, const StudyOptions& options, const Watch& watch = {});

}  // namespace fabricast
