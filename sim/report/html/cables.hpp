#pragma once
// Names of links that tell cables beside each other apart: where two switches share several, "leaf0 -> spine1 (cable
// 2)".

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::html {

class CableNames {
public:
    explicit CableNames(const Fabric& fabric);  // must outlive this

    // From 1, among the links of the same direction between the same two devices; both directions of a cable have the
    // same. 0: there is but one.
    std::uint32_t number(LinkId link) const;
    std::string name(LinkId link) const;

private:
    const Fabric& fabric_;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // by link, of those beside others only
};

}  // namespace fabricast::html
