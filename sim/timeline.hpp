#pragma once
// What a replay leaves behind: small whatever the size of the schedule.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/schedule.hpp"

namespace fabricast {

struct OpTimes {
    OpId op{};
    Time start;  // first byte may move: dependencies met
    Time release;
    Time finish;
};

struct LinkUse {
    LinkId link{};
    double bytes = 0;        // wire bytes over the whole replay
    double utilisation = 0;  // bytes / (capacity * makespan), 0..1
};

struct ClassUse {
    LinkClass cls = LinkClass::other;
    double bytes = 0;
    Duration busy;  // summed over links of the class that carried anything
};

struct Timeline {
    Time makespan;
    std::vector<OpTimes> kept;     // in the order of Schedule::kept
    std::vector<LinkUse> busiest;  // a bounded list, most utilised first; equal links are represented once
    std::vector<ClassUse> classes;
    std::uint64_t solves = 0;  // rate allocations computed
};

}  // namespace fabricast
