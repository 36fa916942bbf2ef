// How scenarios, exports and reports spell the closed sets of this floor.
#include <array>

#include "topologies/cluster.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

std::string_view word(FabricKind kind) {
    static constexpr std::array<std::string_view, 10> words = {
        "none",      "single-switch",  "fat-tree", "rail-optimized", "rail-only",
        "dragonfly", "dragonfly-plus", "torus",    "dual-plane",     "explicit"};
    return words.at(static_cast<std::size_t>(kind));
}

std::string_view word(DeviceKind kind) {
    static constexpr std::array<std::string_view, 7> words = {"gpu",      "nic",           "cpu",        "pcie-switch",
                                                              "nvswitch", "fabric-switch", "host-memory"};
    return words.at(static_cast<std::size_t>(kind));
}

std::string_view word(LinkClass cls) {
    static constexpr std::array<std::string_view, 11> words = {
        "nvlink",     "nvswitch-trunk", "pcie",   "cpu-bus", "host-memory", "nic-port",
        "leaf-spine", "spine-core",     "global", "torus",   "other"};
    return words.at(static_cast<std::size_t>(cls));
}

}  // namespace fabricast
