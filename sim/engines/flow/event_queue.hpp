#pragma once
// A radix heap: events leave in order of time and none may be pushed into the past. Entries of one tick leave together.
// Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the shortest path problem, JACM 37 (1990). An entry sits in the
// bucket of the highest bit in which its time differs from the current time, so it moves at most once per bit.

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace fabricast::inline flow {

template <class Payload> class EventQueue {
public:
    bool empty() const { return filled_ == 0 && buckets_[0].empty(); }

    // Precondition: not before the time that was taken last.
    void push(std::int64_t time, Payload payload) {
        assert(time >= now_);
        const auto bucket = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(time ^ now_)));
        buckets_[bucket].push_back({time, payload});
        filled_ |= bucket > 0 ? std::uint64_t{1} << (bucket - 1) : 0;
    }

    // Advances to the earliest time and takes all entries of that time. Precondition: not empty.
    std::int64_t pop_tick(std::vector<Payload>& taken) {
        if (buckets_[0].empty()) { advance(); }
        taken.clear();
        for (const Entry& entry : buckets_[0]) { taken.push_back(entry.payload); }
        buckets_[0].clear();
        return now_;
    }

private:
    struct Entry {
        std::int64_t time;
        Payload payload;
    };

    void advance() {
        const auto from = static_cast<std::size_t>(std::countr_zero(filled_)) + 1;
        filled_ &= filled_ - 1;
        std::vector<Entry>& source = buckets_[from];
        now_ = source.front().time;
        for (const Entry& entry : source) { now_ = std::min(now_, entry.time); }
        for (const Entry& entry : source) { push(entry.time, entry.payload); }  // all of them move to lower buckets
        source.clear();
    }

    // Bucket 0 holds what is due now; bucket b > 0 holds times whose highest bit that differs from now is bit b - 1.
    std::array<std::vector<Entry>, 65> buckets_;
    std::uint64_t filled_ = 0;  // bit b - 1: bucket b holds something
    std::int64_t now_ = 0;
};

}  // namespace fabricast::inline flow
