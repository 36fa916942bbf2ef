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
    bool empty() const { return size_ == 0; }
    std::int64_t now() const { return now_; }

    // Precondition: time >= now().
    void push(std::int64_t time, Payload payload) {
        assert(time >= now_);
        put({time, payload});
        ++size_;
    }

    // Advances to the earliest time and takes all entries of that time. Precondition: not empty.
    std::int64_t pop_tick(std::vector<Payload>& taken) {
        if (buckets_[0].empty()) { advance(); }
        taken.clear();
        for (const Entry& entry : buckets_[0]) { taken.push_back(entry.payload); }
        size_ -= buckets_[0].size();
        buckets_[0].clear();
        return now_;
    }

private:
    struct Entry {
        std::int64_t time;
        Payload payload;
    };

    // Bucket 0 holds what is due now; bucket b > 0 holds times whose highest bit that differs from now is bit b - 1.
    void put(const Entry& entry) {
        const auto bucket = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(entry.time ^ now_)));
        buckets_[bucket].push_back(entry);
        filled_ |= bucket > 0 ? std::uint64_t{1} << (bucket - 1) : 0;
    }

    void advance() {
        const auto from = static_cast<std::size_t>(std::countr_zero(filled_)) + 1;
        filled_ &= filled_ - 1;
        std::vector<Entry>& source = buckets_[from];
        now_ = source.front().time;
        for (const Entry& entry : source) { now_ = std::min(now_, entry.time); }
        for (const Entry& entry : source) {  // all of them move to lower buckets
            put(entry);
        }
        source.clear();
    }

    std::array<std::vector<Entry>, 65> buckets_;
    std::uint64_t filled_ = 0;  // bit b - 1: bucket b holds something
    std::int64_t now_ = 0;
    std::size_t size_ = 0;
};

}  // namespace fabricast::inline flow
