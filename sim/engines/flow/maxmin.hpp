#pragma once
// Weighted max-min fair sharing as a pure function over spans: it knows classes and links, not networks or time.
// Bertsekas & Gallager, Data Networks, 2nd ed., section 6.5.2: the allocation in which no member can get more unless
// another member, which has no more than it, gets less. Equivalent test: no link above its capacity, and every class
// runs at its cap or crosses a full link on which no other class is faster.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fabricast::inline flow {

// The cap of what has none, and the level of a link that fills never.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

// A class is a set of `members` that cross the same links and so get the same rate each; it loads a link with members *
// times * rate. All numbers are finite and > 0 except caps, which may be infinite.
struct Sharing {
    std::span<const double> capacity;     // per link
    std::span<const std::uint32_t> end;   // per class: end of its crossings, and begin of the next class's
    std::span<const std::uint32_t> link;  // per crossing; a class lists a link once
    std::span<const double> times;        // per crossing, how often a member crosses it; empty: once
    std::span<const double> members;      // per class
    std::span<const double> cap;          // per class, rate of one member; empty: none

    std::size_t begin(std::size_t cls) const { return cls == 0 ? 0 : end[cls - 1]; }
    double times_of(std::size_t crossing) const { return times.empty() ? 1.0 : times[crossing]; }
};

// Levels that differ relatively by less than this count as equal, and their classes get exactly the same rate.
// Otherwise symmetric classes would end in different ticks, and one event would become thousands.
inline constexpr double level_tolerance = 1e-12;

// Progressive filling with a lazy heap of link levels: O(crossings * log links). Keeps its buffers between calls.
class MaxMin {
public:
    // Writes the rate of one member of each class. A class with no crossing and no cap gets infinity.
    void solve(const Sharing& sharing, std::span<double> rate);

    // Of the last solve, per class: the full link that bounds it; no_link if its cap does.
    std::span<const std::uint32_t> frozen_by() const { return frozen_by_; }
    static constexpr std::uint32_t no_link = 0xffffffffU;
    // Of the last solve: the links that bound a class, in the order in which they filled up.
    std::span<const std::uint32_t> full_links() const { return full_links_; }

private:
    static constexpr double unfrozen = -1;
    struct Level {
        double level;
        std::uint32_t link;
    };
    void prepare(const Sharing& sharing, std::span<double> rate);
    void freeze(const Sharing& sharing, std::span<double> rate, std::uint32_t cls, double level);
    const Level* top();  // smallest up-to-date level among open links; null: none left
    double level_of(std::uint32_t link) const { return residual_[link] / demand_[link]; }

    std::vector<double> residual_, demand_;         // per link
    std::vector<std::uint32_t> open_;               // per link: unfrozen classes on it
    std::vector<std::uint32_t> user_begin_, user_;  // crossings by link: the classes on each
    std::vector<Level> heap_;
    std::vector<std::uint32_t> capped_;     // classes with a cap, smallest first
    std::vector<std::uint32_t> frozen_by_;  // per class
    std::vector<std::uint32_t> full_links_;
};

}  // namespace fabricast::inline flow
