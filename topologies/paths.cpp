#include "topologies/paths.hpp"

namespace fabricast {

std::string_view to_string(DeviceKind kind) {
    static constexpr std::array<std::string_view, 7> words = {"gpu",      "nic",           "cpu",        "pcie-switch",
                                                              "nvswitch", "fabric-switch", "host-memory"};
    return words.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(LinkClass cls) {
    static constexpr std::array<std::string_view, 11> words = {
        "nvlink",     "nvswitch-trunk", "pcie",   "cpu-bus", "host-memory", "nic-port",
        "leaf-spine", "spine-core",     "global", "torus",   "other"};
    return words.at(static_cast<std::size_t>(cls));
}

}  // namespace fabricast
