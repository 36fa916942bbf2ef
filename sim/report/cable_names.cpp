#include "sim/report/cable_names.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace fabricast::inline report {

// Only trunks are numbered: the parallel cables of a node are one link already.
CableNames::CableNames(const Fabric& fabric) : fabric_(fabric) {
    std::vector<std::tuple<DeviceId, DeviceId, std::uint32_t>> trunks;
    for (std::uint32_t l = fabric.first_trunk(); l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        if (!ends.resource) { trunks.emplace_back(ends.from, ends.to, l); }
    }
    std::ranges::sort(trunks);
    std::uint32_t before = 0;  // how many have the same ends
    for (std::size_t i = 1; i < trunks.size(); ++i) {
        const auto& [from, to, link] = trunks[i];
        const auto& [other_from, other_to, other] = trunks[i - 1];
        before = from == other_from && to == other_to ? before + 1 : 0;
        if (before == 1) { numbers_[other] = 1; }
        if (before > 0) { numbers_[link] = before + 1; }
    }
}

std::uint32_t CableNames::number(LinkId link) const {
    const auto found = numbers_.find(index(link));
    return found == numbers_.end() ? 0 : found->second;
}

std::string CableNames::name(LinkId link) const {
    const std::uint32_t own = number(link);
    return fabric_.link_name(link) + (own == 0 ? "" : " (cable " + std::to_string(own) + ")");
}

}  // namespace fabricast::inline report
