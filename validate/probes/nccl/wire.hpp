#pragma once
// What the network of memory_net.cu does by itself, without NCCL: what a collective's time is held against.

#include <cstdint>
#include <string>
#include <vector>

namespace probe {

struct WireTime {
    std::uint64_t bytes;
    double one_way_us;  // half of a round trip of two messages, the host waiting for each
};

// Throws NcclError.
std::vector<WireTime> measure_wire(bool in_gpu_memory, const std::vector<std::uint64_t>& sizes);

// "8 B 2.31 us, 64KiB 3.9 us"
std::string to_text(const std::vector<WireTime>& times);

}  // namespace probe
