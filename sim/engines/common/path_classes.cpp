#include "sim/engines/common/path_classes.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace fabricast::inline engine_common {

namespace {

constexpr std::uint32_t empty = 0xffffffffU;

std::uint64_t hash_of(std::span<const LinkId> path, double cap) {
    std::uint64_t hash = cap < std::numeric_limits<double>::infinity() ? static_cast<std::uint64_t>(cap) : 0;
    for (const LinkId link : path) {
        hash = (hash ^ static_cast<std::uint64_t>(link)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29U;
    }
    return hash;
}

}  // namespace

PathClasses::PathClasses(const Fabric& fabric, std::size_t most)
    : fabric_(fabric), slots_(std::bit_ceil(2 * most + 2), empty) {}

PathClasses::Found PathClasses::class_of(const PathQuery& query, double rate_cap) {
    fabric_.path(query, path_);
    const std::span<const LinkId> links = path_.span();
    for (std::size_t slot = hash_of(links, rate_cap) & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
        std::uint32_t& cls = slots_[slot];
        if (cls == empty) {
            cls = static_cast<std::uint32_t>(end_.size());
            links_.insert(links_.end(), links.begin(), links.end());
            end_.push_back(links_.size());
            cap_.push_back(rate_cap);
            return {cls, path_.latency};
        }
        if (cap_[cls] == rate_cap && std::ranges::equal(path(cls), links)) { return {cls, path_.latency}; }
    }
}

}  // namespace fabricast::inline engine_common
