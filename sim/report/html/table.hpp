#pragma once
// A table of a page.

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace fabricast::inline report::html {

// The unit of a number, in SI base units. The page writes 1.2e-5 of `time` as "12 us" and 0.31 of `share` as "31 %".
enum class Unit : std::uint8_t { none, count, time, rate, size, share, flops, power, money };

// A number in the unit of its column, which is a double also where it counts, a text, or null.
using Cell = Json;
struct Column {
    std::string label;
    Unit unit = Unit::none;
};
struct Table {
    std::string title, caption;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;   // each as long as `columns`
    bool folded = false;                   // collapsed until the reader opens it
    std::vector<std::size_t> marked = {};  // indices of rows to highlight: a Pareto set, a winner
};

}  // namespace fabricast::inline report::html
