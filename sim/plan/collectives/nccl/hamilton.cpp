#include "sim/plan/collectives/nccl/hamilton.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace fabricast::inline collectives::nccl {

namespace {

// Depth-first search over edges with capacity left; when a ring is complete, the search of the next one begins. Stops
// at the bound that the GPU with the fewest links sets, or after max_steps.
class Packing {
public:
    Packing(std::uint32_t n, std::vector<int> capacity, int most)
        : n_(n), capacity_(std::move(capacity)), bound_(static_cast<std::size_t>(std::max(most, 0))) {
        for (auto row = capacity_.begin(); row != capacity_.end(); row += n_) {
            bound_ = std::min(bound_, static_cast<std::size_t>(std::max(std::accumulate(row, row + n_, 0), 0)));
        }
        bound_ *= n_;
    }

    std::vector<std::vector<std::uint16_t>> best() {
        next_ring();
        std::vector<std::vector<std::uint16_t>> rings;
        for (auto at = best_.begin(); at != best_.end(); at += n_) { rings.emplace_back(at, at + n_); }
        return rings;
    }

private:
    static constexpr long max_steps = 400'000;

    bool done() const { return best_.size() >= bound_ || steps_ > max_steps; }
    int& room(std::uint16_t from, std::uint16_t to) { return capacity_[std::size_t{from} * n_ + to]; }

    // Every ring so far is complete: begins the next one. The same rings in another order leave the same capacity, from
    // which nothing better comes a second time: only the steps are counted again, so that the search ends where it did.
    void next_ring() {
        if (visited_.size() > best_.size()) { best_ = visited_; }
        if (done()) { return; }
        if (const auto before = steps_from_.find(capacity_); before != steps_from_.end()) {
            steps_ += before->second;
            return;
        }
        const long begin = steps_;
        visit(0, 1);
        steps_from_.emplace(capacity_, steps_ - begin);
    }

    // Goes on from `to`; `used` are the bits of the ring's GPUs.
    void visit(std::uint16_t to, std::uint64_t used) {
        visited_.push_back(to);
        extend(used);
        visited_.pop_back();
    }

    void extend(std::uint64_t used) {
        if (done() || ++steps_ > max_steps) { return; }
        const std::uint16_t at = visited_.back();
        if (used == all_) {
            if (room(at, 0) > 0) {
                --room(at, 0);
                next_ring();
                ++room(at, 0);
            }
            return;
        }
        // Wide edges first, so that the rest stays connected. Insertion sort, because this runs up to 400,000 times.
        std::array<std::uint16_t, 64> order;
        std::size_t open = 0;
        for (std::uint16_t to = 1; to < static_cast<std::uint16_t>(n_); ++to) {
            const int* wide = &room(at, 0);
            if ((used >> to & 1U) != 0 || wide[to] <= 0) { continue; }
            std::size_t place = open++;
            for (; place > 0 && wide[order[place - 1]] < wide[to]; --place) { order[place] = order[place - 1]; }
            order[place] = to;
        }
        for (std::size_t i = 0; i < open && !done(); ++i) {
            const std::uint16_t to = order[i];
            --room(at, to);
            visit(to, used | std::uint64_t{1} << to);
            ++room(at, to);
        }
    }

    std::uint32_t n_;
    std::vector<int> capacity_;
    std::size_t bound_;  // of `best_`
    std::uint64_t all_ = ~std::uint64_t{0} >> (64 - n_);
    long steps_ = 0;
    std::map<std::vector<int>, long> steps_from_;  // by the capacity that is left when a ring begins
    std::vector<std::uint16_t> visited_, best_;    // rings of n_ GPUs each, one behind the other
};

bool extend_path(std::uint32_t n, const std::vector<int>& capacity, std::uint16_t last, std::uint64_t used,
                 std::vector<std::uint16_t>& path) {
    const std::uint16_t at = path.back();
    if (path.size() == n) { return at == last; }
    for (std::uint16_t to = 0; to < static_cast<std::uint16_t>(n); ++to) {
        const bool too_early = to == last && path.size() + 1 < n;
        if ((used >> to & 1U) != 0 || too_early || capacity[std::size_t{at} * n + to] <= 0) { continue; }
        path.push_back(to);
        if (extend_path(n, capacity, last, used | std::uint64_t{1} << to, path)) { return true; }
        path.pop_back();
    }
    return false;
}

}  // namespace

std::vector<std::uint16_t> hamiltonian_path(std::uint32_t n, const std::vector<int>& capacity, std::uint16_t first,
                                            std::uint16_t last) {
    std::vector<std::uint16_t> path{first};
    if (!extend_path(n, capacity, last, std::uint64_t{1} << first, path)) { path.clear(); }
    return path;
}

std::vector<std::vector<std::uint16_t>> hamiltonian_rings(std::uint32_t n, std::vector<int> capacity, int most) {
    if (n < 2 || n > 64) { return {}; }
    if (n == 2) {  // the cycle a -> b -> a, as often as the direction with less capacity allows
        const int count = std::min({capacity[1], capacity[2], most});
        return std::vector<std::vector<std::uint16_t>>(static_cast<std::size_t>(std::max(count, 0)), {0, 1});
    }
    return Packing(n, std::move(capacity), most).best();
}

}  // namespace fabricast::inline collectives::nccl
