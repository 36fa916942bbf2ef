#include "topologies/local_paths.hpp"

#include <algorithm>

namespace fabricast::inline topologies {

std::optional<std::uint16_t> NodeGraph::device(std::string_view name) const {
    for (std::size_t d = 0; d < devices.size(); ++d) {
        if (devices[d].name == name) { return static_cast<std::uint16_t>(d); }
    }
    return std::nullopt;
}

int NodeGraph::bridges_crossed(const LocalPath& path) const {
    int crossed = 0;
    for (const std::uint16_t l : span(path)) {
        const LocalLink& link = links[l];
        crossed += !link.resource && devices[link.to].kind == DeviceKind::cpu ? 1 : 0;
    }
    return crossed;
}

}  // namespace fabricast::inline topologies
