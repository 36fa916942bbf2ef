#pragma once
// Max-min fair shares computed directly from the definition, with all sums computed anew at each step: the slow version
// that MaxMin is tested against.

#include <algorithm>
#include <vector>

#include "sim/engines/flow/maxmin.hpp"

namespace fabricast::testing {

inline double cap_of(const flow::Sharing& s, std::size_t cls) { return s.cap.empty() ? infinity : s.cap[cls]; }

inline std::vector<double> max_min_slow(const flow::Sharing& s) {
    constexpr double unfrozen = -1;
    std::vector<double> rate(s.end.size(), unfrozen);
    std::vector<double> level(s.capacity.size());
    while (true) {
        std::vector<double> residual(s.capacity.begin(), s.capacity.end());
        std::vector<double> demand(s.capacity.size(), 0);
        double lowest = infinity;
        for (std::size_t c = 0; c < rate.size(); ++c) {
            for (std::size_t x = s.begin(c); x < s.end[c]; ++x) {
                const double weight = s.members[c] * s.times_of(x);
                (rate[c] == unfrozen ? demand[s.link[x]] : residual[s.link[x]]) +=
                    rate[c] == unfrozen ? weight : -rate[c] * weight;
            }
            lowest = rate[c] == unfrozen ? std::min(lowest, cap_of(s, c)) : lowest;
        }
        for (std::size_t l = 0; l < level.size(); ++l) {
            level[l] = demand[l] > 0 ? residual[l] / demand[l] : infinity;
            lowest = std::min(lowest, level[l]);
        }
        if (lowest == infinity) {
            std::replace(rate.begin(), rate.end(), unfrozen, infinity);
            return rate;
        }
        const double reach = lowest * (1 + level_tolerance);
        for (std::size_t c = 0; c < rate.size(); ++c) {
            bool full = cap_of(s, c) <= reach;
            for (std::size_t x = s.begin(c); x < s.end[c]; ++x) { full = full || level[s.link[x]] <= reach; }
            rate[c] = full && rate[c] == unfrozen ? std::min(lowest, cap_of(s, c)) : rate[c];
        }
    }
}

}  // namespace fabricast::testing
