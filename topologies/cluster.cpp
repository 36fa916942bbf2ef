#include "topologies/cluster.hpp"

#include <array>

namespace fabricast {

std::string_view to_string(FabricKind kind) {
    static constexpr std::array<std::string_view, 10> words = {
        "none",      "single-switch",  "fat-tree", "rail-optimized", "rail-only",
        "dragonfly", "dragonfly-plus", "torus",    "dual-plane",     "explicit"};
    return words.at(static_cast<std::size_t>(kind));
}

}  // namespace fabricast
