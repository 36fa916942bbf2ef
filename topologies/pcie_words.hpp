#pragma once
// A node's PCIe tree in words: "two GPUs and a NIC a switch", "4 GPUs a switch", "GPUs on root ports".

#include "base/yaml.hpp"

namespace fabricast::inline topologies {

struct PcieWords {
    std::int64_t gpus_a_switch = 0;  // 0: no switches, everything on root ports
    std::int64_t nics_a_switch = 0;  // 0: NICs are on root ports
};

// Throws InputError at words that say something else.
PcieWords read_pcie_words(const yaml::Node& at);

}  // namespace fabricast::inline topologies
