#pragma once
// Which records wait for each other inside one recorded rank.

#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "sim/plan/traces/match.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

// Which records wait for each record of a recorded rank; the same for all copies of the rank.
struct Dependents {
    std::vector<std::uint32_t> begin, list, waits;  // waits: for how many others each record waits
    std::vector<std::uint32_t> before;              // the stream's previous record; no_partner: it is the first one

    explicit Dependents(const RankRecording& rank) {
        const std::size_t n = rank.records.size();
        begin.assign(n + 1, 0);
        waits.assign(n, 0);
        before.assign(n, no_partner);
        std::map<std::uint16_t, std::uint32_t> last;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (rank.records[i].stream != no_stream) {
                const auto [place, is_new] = last.try_emplace(rank.records[i].stream, i);
                before[i] = is_new ? no_partner : place->second;
                place->second = i;
            }
            for_each_wait(rank, i, [&](std::uint32_t earlier) {
                ++begin[earlier];
                ++waits[i];
            });
        }
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        list.resize(begin.back());
        for (auto i = static_cast<std::uint32_t>(n); i-- > 0;) {
            for_each_wait(rank, i, [&](std::uint32_t earlier) { list[--begin[earlier]] = i; });
        }
    }

    template <class Visit> void for_each_wait(const RankRecording& rank, std::uint32_t record, Visit&& visit) const {
        for (const std::uint32_t earlier : rank.after(record)) { visit(earlier); }
        if (before[record] != no_partner) { visit(before[record]); }
    }
};

}  // namespace fabricast::inline traces
