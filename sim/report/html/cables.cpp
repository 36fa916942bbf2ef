#include "sim/report/html/cables.hpp"

namespace fabricast::inline report::html {

// Only trunks are numbered: the parallel cables of a node are one link already.
CableNames::CableNames(const Fabric& fabric) : fabric_(fabric) {
    struct Beside {
        std::uint32_t first = 0, count = 0;
    };
    std::unordered_map<std::uint64_t, Beside> joined;
    for (std::uint32_t l = fabric.node_link_count() * fabric.node_count(); l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        if (ends.resource) { continue; }
        const std::uint64_t pair =
            std::uint64_t{static_cast<std::uint32_t>(ends.from)} << 32U | static_cast<std::uint32_t>(ends.to);
        Beside& beside = joined[pair];
        if (beside.count == 0) {
            beside.first = l;
        } else {
            numbers_[beside.first] = 1;
            numbers_[l] = beside.count + 1;
        }
        ++beside.count;
    }
}

std::uint32_t CableNames::number(LinkId link) const {
    const auto found = numbers_.find(static_cast<std::uint32_t>(link));
    return found == numbers_.end() ? 0 : found->second;
}

std::string CableNames::name(LinkId link) const {
    const std::uint32_t own = number(link);
    return fabric_.link_name(link) + (own == 0 ? "" : " (cable " + std::to_string(own) + ")");
}

}  // namespace fabricast::inline report::html
