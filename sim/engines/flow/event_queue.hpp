#pragma once
// A radix heap: events leave in order of time and none may be pushed into the past. Entries of one tick leave together.
// Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the shortest path problem, JACM 37 (1990), with buckets on
// several levels. An entry sits in the bucket of the highest digit in which its time differs from the current time, and
// of its own digit there, so it moves at most once per digit.

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace fabricast::inline flow {

template <class Payload> class EventQueue {
public:
    bool empty() const { return levels_ == 0 && due_.empty(); }

    // Precondition: not before the time that was taken last.
    void push(std::int64_t time, Payload payload) {
        assert(time >= now_);
        const auto differs = static_cast<std::uint64_t>(time ^ now_);
        if (differs == 0) {
            due_.push_back(payload);
            return;
        }
        const unsigned level = static_cast<unsigned>(std::bit_width(differs) - 1) / digit_bits;
        const unsigned digit = static_cast<unsigned>(time >> (level * digit_bits)) % digits;
        buckets_[level * digits + digit].push_back({time, payload});
        filled_[level] |= 1U << digit;
        levels_ |= 1U << level;
    }

    // Advances to the earliest time and takes all entries of that time. Precondition: not empty.
    std::int64_t pop_tick(std::vector<Payload>& taken) {
        taken.clear();
        if (due_.empty()) { advance(); }
        taken.swap(due_);
        return now_;
    }

private:
    static constexpr unsigned digit_bits = 4, digits = 1U << digit_bits, levels = 64 / digit_bits;

    struct Entry {
        std::int64_t time;
        Payload payload;
    };

    void advance() {
        const auto level = static_cast<unsigned>(std::countr_zero(levels_));
        const auto digit = static_cast<unsigned>(std::countr_zero(filled_[level]));
        filled_[level] &= filled_[level] - 1;
        levels_ &= filled_[level] == 0 ? levels_ - 1 : ~0U;
        std::vector<Entry>& source = buckets_[level * digits + digit];
        now_ = source.front().time;
        for (const Entry& entry : source) { now_ = std::min(now_, entry.time); }
        for (const Entry& entry : source) { push(entry.time, entry.payload); }  // all of them move to lower levels
        source.clear();
    }

    // On each level, a bucket for each digit above the current time's; `due_` holds what is due now.
    std::array<std::vector<Entry>, levels * digits> buckets_;
    std::array<std::uint32_t, levels> filled_{};  // bits: the level's buckets that hold something
    std::uint32_t levels_ = 0;                    // bits: levels that hold something
    std::vector<Payload> due_;
    std::int64_t now_ = 0;
};

}  // namespace fabricast::inline flow
