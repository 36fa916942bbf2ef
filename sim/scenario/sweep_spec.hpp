#pragma once
// The points of a sweep, as the scenario's `sweep:` block or --vary states them. Values are YAML texts, as in
// `path=value`; each records where it was written.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline scenario {

struct SweepValue {
    std::string text;  // "8", "400 Gb/s", "{kind: fat-tree, tiers: 2}"
    SourceLocation place;
};

// One key and its values: "cluster.nodes" and 8, 16, 32.
struct Variation {
    std::string path;
    SourceLocation place;
    std::vector<SweepValue> values;
};

// One key of one point.
struct Assignment {
    std::string path;
    SweepValue value;
};

// A key drawn at random: one of `choices`, or a value from `from` to `to` with as many decimals as they have.
struct RandomRange {
    std::string path;
    SourceLocation place;
    std::vector<SweepValue> choices;
    SweepValue from, to;  // if there are no choices
    bool log = false;     // uniform in the logarithm
};

struct RandomSweep {
    std::uint32_t points = 0;
    std::uint64_t seed = 0;  // 0: the scenario's
    std::vector<RandomRange> ranges;
};

// The points are every combination of the grid, or the entries of the list, or the points drawn.
struct SweepSpec {
    std::vector<Variation> grid;                // the last key varies fastest
    std::vector<std::vector<Assignment>> list;  // keys that an entry does not name keep the scenario's value
    std::optional<RandomSweep> random;

    bool empty() const { return grid.empty() && list.empty() && !random; }
};

}  // namespace fabricast::inline scenario
