#pragma once
// A bill's counts alone, compared and printed at once.

#include <cstdint>
#include <ostream>
#include <vector>

#include "topologies/bill.hpp"

namespace fabricast {

using Counts = std::vector<std::uint64_t>;

struct Counted {
    Counts switches, cables;
    bool operator==(const Counted&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Counted& c) {
    for (const Counts* list : {&c.switches, &c.cables}) {
        for (const std::uint64_t n : *list) { out << n << " "; }
        out << "| ";
    }
    return out;
}

inline Counted counted(const Bill& bill) {
    Counted all;
    for (const SwitchCount& s : bill.switches) { all.switches.push_back(s.switches); }
    for (const CableCount& c : bill.cables) { all.cables.push_back(c.cables); }
    return all;
}

}  // namespace fabricast
