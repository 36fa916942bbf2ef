#include "discovery/site/node_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fabricast::inline site {

void keep_nics(NodeShape& shape, const std::function<bool(std::size_t)>& kept) {
    std::map<std::string, std::string> renamed;
    std::vector<NicSeen> nics;
    for (std::size_t nic = 0; nic < shape.nics; ++nic) {
        if (!kept(nic)) { continue; }
        renamed.emplace(fmt::format("nic{}", nic), fmt::format("nic{}", nics.size()));
        nics.push_back(shape.nic_of[nic]);
    }
    std::erase_if(shape.cables, [&](const ShapeCable& cable) {
        return cable.from.starts_with("nic") && !renamed.contains(cable.from);
    });
    for (ShapeCable& cable : shape.cables) {
        if (cable.from.starts_with("nic")) { cable.from = renamed.at(cable.from); }
    }
    shape.nics = nics.size();
    shape.nic_of = std::move(nics);
}

}  // namespace fabricast::inline site
