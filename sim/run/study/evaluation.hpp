#pragma once
// One design of a study by itself: its forecast, what bounds it, and its parts list.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/engines/common/watch.hpp"
#include "sim/run/explain/blame.hpp"
#include "sim/run/study/draws.hpp"
#include "sim/run/study/parts_list.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline studies {

// A design and its catalogue, with its prices merged in.
struct StudyInput {
    std::string name;
    Scenario scenario;
    Catalog catalog;
};

struct DesignResult {
    std::string name;
    std::string network;  // "rail-optimized, infiniband-ndr, quantum-2, 2:1"
    std::uint32_t nodes = 0, gpus = 0;
    std::string what;  // "all_reduce of 1 GiB, ring simple", "a step of gpt3-175b"
    std::string work;  // what it is asked to do, however: times of designs with equal text can be ranked
    Range time_s;
    std::optional<Range> busbw, tokens_per_s;
    std::optional<double> mfu, efficiency;
    std::optional<Range> goodput;       // share of a month that failures and checkpoints leave
    std::uint32_t efficiency_gpus = 0;  // number of GPUs that `efficiency` is relative to
    std::string bottleneck;
    PartsList parts;
    std::optional<Range> it_watts, all_watts;  // all_watts: with cooling and conversion (PUE)
    std::optional<Range> capital_usd;
    double guessed_share = 0;  // share of the capital that rests on estimated prices
    // With `goodput`, of the tokens that it leaves. per busbw: capital per B/s
    std::optional<Range> usd_per_million_tokens, usd_per_busbw, tokens_per_joule;
    bool best = false;  // in the Pareto set of speed, capital and power
    std::vector<std::string> notes;
};

struct Evaluation {
    DesignResult result;        // central values; time_s, busbw and tokens_per_s also have their 80 % intervals
    std::vector<Blame> blames;  // blame of its critical path
    // Forecast errors on one system are correlated: designs with equal text here share the draw of the error.
    std::string system;
    Range form;                // measured time / forecast time of similar forecasts
    std::string regime;        // "large": selects how far two published tables of one site differed
    double busbw_seconds = 0;  // bus bandwidth times time, bytes
    double tokens = 0;         // tokens per training step
};

// Throws what `error` is, by the design's name. What one of a scenario's `designs` sets stands in no file: where
// `error` is about that, its place is the list of designs.
[[noreturn]] void refuse_design(const Scenario& listing, const std::string& name, const Error& error);

// Throws as simulate does, with the design's name if a scenario lists several. `efficiency`: with the scaling
// efficiency, which takes further runs.
Evaluation evaluate(const StudyInput& input, const Watch& watch, bool efficiency = true);

}  // namespace fabricast::inline studies
