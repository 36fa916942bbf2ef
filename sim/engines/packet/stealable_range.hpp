#pragma once
// Which thread runs which islands of a window: the owner takes them from the front, threads that have finished their
// own islands from the back. Which thread runs an island makes no difference to the result.

#include <atomic>
#include <cstdint>

namespace fabricast::inline packet {

// Islands [from, to) of a domain's list.
struct Claim {
    std::uint32_t from = 0, to = 0;
    std::uint32_t count() const { return to - from; }
};

class StealableRange {
public:
    // Called by the owner when its islands have got their mail. Before that, and when all are taken, there is nothing
    // to take.
    void publish(std::uint32_t count) { open_.store(pack({0, count}), std::memory_order_release); }

    Claim take_first() {
        return take([](Claim open, std::uint32_t some) { return Claim{open.from, open.from + some}; });
    }
    Claim take_last() {
        return take([](Claim open, std::uint32_t some) { return Claim{open.to - some, open.to}; });
    }

private:
    static std::uint64_t pack(Claim claim) { return static_cast<std::uint64_t>(claim.from) << 32U | claim.to; }

    // Takes a sixteenth of what is left, so that all threads end at nearly the same time.
    template <class Part> Claim take(Part&& part) {
        std::uint64_t known = open_.load(std::memory_order_acquire);
        for (;;) {
            const Claim open{static_cast<std::uint32_t>(known >> 32U), static_cast<std::uint32_t>(known)};
            if (open.count() == 0) { return {}; }
            const Claim mine = part(open, 1 + (open.count() - 1) / 16);
            const Claim left = mine.from == open.from ? Claim{mine.to, open.to} : Claim{open.from, mine.from};
            if (open_.compare_exchange_weak(known, pack(left), std::memory_order_acq_rel, std::memory_order_acquire)) {
                return mine;
            }
        }
    }

    alignas(64) std::atomic<std::uint64_t> open_{0};
};

}  // namespace fabricast::inline packet
