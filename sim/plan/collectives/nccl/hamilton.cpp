#include "sim/plan/collectives/nccl/hamilton.hpp"

#include <algorithm>
#include <array>

namespace fabricast::nccl {

namespace {

// Depth-first search over edges with capacity left; when a ring is complete, the search of the next one begins. Stops
// at the bound that the GPU with the fewest links sets, or after max_steps.
class Packing {
public:
    Packing(std::uint32_t n, std::vector<int> capacity, int most) : n_(n), capacity_(std::move(capacity)) {
        bound_ = most;
        for (std::uint32_t a = 0; a < n_; ++a) {
            int out = 0;
            for (std::uint32_t b = 0; b < n_; ++b) {
                out += capacity_[a * n_ + b];
            }
            bound_ = std::min(bound_, out);
        }
    }

    std::vector<std::vector<std::uint16_t>> best() {
        next_ring();
        return best_;
    }

private:
    static constexpr long max_steps = 400'000;

    bool done() const { return static_cast<int>(best_.size()) >= bound_ || steps_ > max_steps; }

    void next_ring() {
        if (rings_.size() > best_.size()) {
            best_ = rings_;
        }
        if (done()) {
            return;
        }
        ring_.assign(1, 0);
        used_ = 1;
        extend();
    }

    void extend() {
        if (done() || ++steps_ > max_steps) {
            return;
        }
        const std::uint16_t at = ring_.back();
        if (ring_.size() == n_) {
            if (capacity_[std::size_t{at} * n_] > 0) {
                close(at);
            }
            return;
        }
        // Wide edges first, so that the rest stays connected longer. Insertion sort, because this runs up to 400,000
        // times.
        std::array<std::uint16_t, 64> order;
        std::size_t open = 0;
        for (std::uint16_t to = 1; to < static_cast<std::uint16_t>(n_); ++to) {
            const int* wide = &capacity_[std::size_t{at} * n_];
            if ((used_ >> to & 1U) != 0 || wide[to] <= 0) {
                continue;
            }
            std::size_t place = open++;
            for (; place > 0 && wide[order[place - 1]] < wide[to]; --place) {
                order[place] = order[place - 1];
            }
            order[place] = to;
        }
        for (std::size_t i = 0; i < open; ++i) {
            const std::uint16_t to = order[i];
            --capacity_[std::size_t{at} * n_ + to];
            used_ |= std::uint64_t{1} << to;
            ring_.push_back(to);
            extend();
            ring_.pop_back();
            used_ &= ~(std::uint64_t{1} << to);
            ++capacity_[std::size_t{at} * n_ + to];
            if (done()) {
                return;
            }
        }
    }

    void close(std::uint16_t last) {
        const std::vector<std::uint16_t> ring = ring_;
        const std::uint64_t used = used_;
        --capacity_[std::size_t{last} * n_];
        rings_.push_back(ring);
        next_ring();
        rings_.pop_back();
        ++capacity_[std::size_t{last} * n_];
        ring_ = ring;
        used_ = used;
    }

    std::uint32_t n_;
    std::vector<int> capacity_;
    int bound_ = 0;
    long steps_ = 0;
    std::uint64_t used_ = 1;
    std::vector<std::uint16_t> ring_;
    std::vector<std::vector<std::uint16_t>> rings_, best_;
};

bool extend_path(std::uint32_t n, const std::vector<int>& capacity, std::uint16_t last, std::uint64_t used,
                 std::vector<std::uint16_t>& path) {
    const std::uint16_t at = path.back();
    if (path.size() == n) {
        return at == last;
    }
    for (std::uint16_t to = 0; to < static_cast<std::uint16_t>(n); ++to) {
        const bool too_early = to == last && path.size() + 1 < n;
        if ((used >> to & 1U) != 0 || too_early || capacity[std::size_t{at} * n + to] <= 0) {
            continue;
        }
        path.push_back(to);
        if (extend_path(n, capacity, last, used | std::uint64_t{1} << to, path)) {
            return true;
        }
        path.pop_back();
    }
    return false;
}

}  // namespace

std::vector<std::uint16_t> hamiltonian_path(std::uint32_t n, const std::vector<int>& capacity, std::uint16_t first,
                                            std::uint16_t last) {
    std::vector<std::uint16_t> path{first};
    if (!extend_path(n, capacity, last, std::uint64_t{1} << first, path)) {
        path.clear();
    }
    return path;
}

std::vector<std::vector<std::uint16_t>> hamiltonian_rings(std::uint32_t n, std::vector<int> capacity, int most) {
    if (n < 2 || n > 64) {
        return {};
    }
    if (n == 2) {  // the cycle a -> b -> a, as often as the direction with less capacity allows
        const int count = std::min({capacity[1], capacity[2], most});
        return std::vector<std::vector<std::uint16_t>>(static_cast<std::size_t>(std::max(count, 0)), {0, 1});
    }
    return Packing(n, std::move(capacity), most).best();
}

}  // namespace fabricast::nccl
