#include "sim/engines/flow/maxmin.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace fabricast::inline flow {

void MaxMin::solve(const Sharing& sharing, std::span<double> rate) {
    prepare(sharing, rate);
    std::size_t next_capped = 0;
    double level = 0;
    while (true) {
        while (next_capped < capped_.size() && rate[capped_[next_capped]] != unfrozen) { ++next_capped; }
        const Level* link = top();
        const double cap = next_capped < capped_.size() ? sharing.cap[capped_[next_capped]] : infinity;
        if (link == nullptr && cap == infinity) { break; }
        // Rounding may put a level below its predecessor's; filling never goes down.
        level = std::max(level, link == nullptr ? cap : std::min(cap, link->level));
        const double reach = level * (1 + level_tolerance);
        for (; next_capped < capped_.size() && sharing.cap[capped_[next_capped]] <= reach; ++next_capped) {
            const std::uint32_t cls = capped_[next_capped];
            if (rate[cls] == unfrozen) { freeze(sharing, rate, cls, std::min(level, sharing.cap[cls])); }
        }
        for (link = top(); link != nullptr && link->level <= reach; link = top()) {
            const std::uint32_t full = link->link;
            full_links_.push_back(full);
            for (std::uint32_t u = user_begin_[full]; u < user_begin_[full + 1]; ++u) {
                if (rate[user_[u]] == unfrozen) {
                    frozen_by_[user_[u]] = full;
                    freeze(sharing, rate, user_[u], level);
                }
            }
        }
    }
    std::ranges::replace(rate, unfrozen, infinity);
}

void MaxMin::prepare(const Sharing& sharing, std::span<double> rate) {
    const std::size_t links = sharing.capacity.size();
    const std::size_t classes = sharing.end.size();
    assert(rate.size() == classes && sharing.members.size() == classes);
    std::fill(rate.begin(), rate.end(), unfrozen);
    frozen_by_.assign(classes, no_link);
    full_links_.clear();
    residual_.assign(sharing.capacity.begin(), sharing.capacity.end());
    demand_.assign(links, 0);
    open_.assign(links + 1, 0);
    user_begin_.resize(links + 1);
    user_.resize(sharing.link.size());
    for (std::size_t cls = 0; cls < classes; ++cls) {
        for (std::size_t x = sharing.begin(cls); x < sharing.end[cls]; ++x) {
            demand_[sharing.link[x]] += sharing.members[cls] * sharing.times_of(x);
            ++open_[sharing.link[x]];
        }
    }
    std::partial_sum(open_.begin(), open_.end(), user_begin_.begin());
    for (std::size_t cls = classes; cls-- > 0;) {  // filling from the back moves each end to its begin
        for (std::size_t x = sharing.begin(cls); x < sharing.end[cls]; ++x) {
            user_[--user_begin_[sharing.link[x]]] = static_cast<std::uint32_t>(cls);
        }
    }

    heap_.clear();
    for (std::uint32_t l = 0; l < links; ++l) {
        if (open_[l] > 0) { heap_.push_back({level_of(l), l}); }
    }
    std::ranges::make_heap(heap_, std::greater(), &Level::level);
    capped_.clear();
    for (std::uint32_t cls = 0; cls < sharing.cap.size(); ++cls) {
        if (sharing.cap[cls] < infinity) { capped_.push_back(cls); }
    }
    std::ranges::sort(capped_, {}, [&](std::uint32_t cls) { return std::pair(sharing.cap[cls], cls); });
}

void MaxMin::freeze(const Sharing& sharing, std::span<double> rate, std::uint32_t cls, double level) {
    rate[cls] = level;
    for (std::size_t x = sharing.begin(cls); x < sharing.end[cls]; ++x) {
        const std::uint32_t l = sharing.link[x];
        const double weight = sharing.members[cls] * sharing.times_of(x);
        residual_[l] -= level * weight;
        demand_[l] -= weight;
        --open_[l];
    }
}

const MaxMin::Level* MaxMin::top() {
    while (!heap_.empty()) {
        Level& first = heap_.front();
        const bool open = open_[first.link] > 0;
        // Freezing classes at lower levels only raises a link's level, so if this key is up to date it is the smallest.
        const double now = open ? level_of(first.link) : 0;
        if (open && now <= first.level) {
            first.level = now;
            return &first;
        }
        std::ranges::pop_heap(heap_, std::greater(), &Level::level);
        if (open) {
            heap_.back().level = now;
            std::ranges::push_heap(heap_, std::greater(), &Level::level);
        } else {
            heap_.pop_back();
        }
    }
    return nullptr;
}

}  // namespace fabricast::inline flow
