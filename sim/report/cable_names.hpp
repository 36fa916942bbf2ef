#pragma once
// Names for cables, of which several may join the same two devices.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "topologies/fabric.hpp"

namespace fabricast::inline report {

// Link names that distinguish parallel cables: of several between two switches, "leaf0 -> spine1 (cable 2)".
class CableNames {
public:
    explicit CableNames(const Fabric& fabric);  // `fabric` must outlive this

    // The number of the cable, from 1, among the links of the same direction between the same two devices; both
    // directions of a cable have the same number. 0: there is only one cable.
    std::uint32_t number(LinkId link) const;
    std::string name(LinkId link) const;

private:
    const Fabric& fabric_;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // by link id; only links with parallel ones
};

}  // namespace fabricast::inline report
