#include "sim/engines/flow/maxmin.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace fabricast {

namespace {

constexpr double unfrozen = -1;

}  // namespace

double Sharing::cap_of(std::size_t cls) const { return cap.empty() ? infinity : cap[cls]; }

void MaxMin::solve(const Sharing& sharing, std::span<double> rate) {
    prepare(sharing, rate);
    std::size_t next_capped = 0;
    double level = 0;
    while (true) {
        while (next_capped < capped_.size() && rate[capped_[next_capped]] != unfrozen) {
            ++next_capped;
        }
        const Level* link = top();
        const double cap = next_capped < capped_.size() ? sharing.cap[capped_[next_capped]] : infinity;
        if (link == nullptr && cap == infinity) {
            break;
        }
        // Rounding may put a level below its predecessor's; filling never goes down.
        level = std::max(level, link == nullptr ? cap : std::min(cap, link->level));
        const double reach = level * (1 + level_tolerance);
        for (; next_capped < capped_.size() && sharing.cap[capped_[next_capped]] <= reach; ++next_capped) {
            const std::uint32_t cls = capped_[next_capped];
            if (rate[cls] == unfrozen) {
                freeze(sharing, rate, cls, std::min(level, sharing.cap[cls]));
            }
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
    for (double& r : rate) {
        r = r == unfrozen ? infinity : r;
    }
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
    open_.assign(links, 0);
    user_begin_.assign(links + 1, 0);
    user_.resize(sharing.link.size());
    for (std::size_t cls = 0; cls < classes; ++cls) {
        for (std::size_t x = sharing.begin(cls); x < sharing.end[cls]; ++x) {
            demand_[sharing.link[x]] += sharing.members[cls] * sharing.times_of(x);
            ++open_[sharing.link[x]];
        }
    }
    for (std::size_t l = 0; l < links; ++l) {
        user_begin_[l + 1] = user_begin_[l] + open_[l];
    }
    for (std::size_t cls = 0; cls < classes; ++cls) {
        for (std::size_t x = sharing.begin(cls); x < sharing.end[cls]; ++x) {
            user_[user_begin_[sharing.link[x]]++] = static_cast<std::uint32_t>(cls);
        }
    }
    for (std::size_t l = links; l > 0; --l) {  // filling moved each begin to its end
        user_begin_[l] = user_begin_[l - 1];
    }
    user_begin_[0] = 0;

    heap_.clear();
    for (std::uint32_t l = 0; l < links; ++l) {
        if (open_[l] > 0) {
            heap_.push_back({level_of(l), l});
        }
    }
    std::make_heap(heap_.begin(), heap_.end(), [](const Level& a, const Level& b) { return a.level > b.level; });
    capped_.clear();
    for (std::uint32_t cls = 0; cls < sharing.cap.size(); ++cls) {
        if (sharing.cap[cls] < infinity) {
            capped_.push_back(cls);
        }
    }
    std::sort(capped_.begin(), capped_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return sharing.cap[a] != sharing.cap[b] ? sharing.cap[a] < sharing.cap[b] : a < b;
    });
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
    const auto later = [](const Level& a, const Level& b) { return a.level > b.level; };
    while (!heap_.empty()) {
        Level& first = heap_.front();
        const bool open = open_[first.link] > 0;
        // Freezing classes at lower levels only raises a link's level, so if this key is up to date it is the smallest.
        const double now = open ? level_of(first.link) : 0;
        if (open && now <= first.level) {
            first.level = now;
            return &first;
        }
        std::pop_heap(heap_.begin(), heap_.end(), later);
        if (open) {
            heap_.back().level = now;
            std::push_heap(heap_.begin(), heap_.end(), later);
        } else {
            heap_.pop_back();
        }
    }
    return nullptr;
}

std::vector<double> max_min_slow(const Sharing& s) {
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
            lowest = rate[c] == unfrozen ? std::min(lowest, s.cap_of(c)) : lowest;
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
            bool full = s.cap_of(c) <= reach;
            for (std::size_t x = s.begin(c); x < s.end[c]; ++x) {
                full = full || level[s.link[x]] <= reach;
            }
            rate[c] = full && rate[c] == unfrozen ? std::min(lowest, s.cap_of(c)) : rate[c];
        }
    }
}

}  // namespace fabricast
