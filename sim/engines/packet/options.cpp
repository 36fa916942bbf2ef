#include "sim/engines/packet/options.hpp"

#include "sim/engines/common/streams.hpp"

namespace fabricast::inline packet {

// Measured (GCC 12, glibc 2.36, x86-64): 3.4 to 3.9 kB per stream in rings of 3,000 and 12,000 streams, 1.1 to 1.5 kB
// in trees and all-to-alls of 12,000 to 49,000; tests/sim/engines/memory_test.cpp repeats the measurement.
MemoryNeed Packet::memory(const Fabric&, const Schedule& schedule) {
    return {.count = stream_count(schedule), .what = "streams of packets", .bytes_each = 2200};
}

}  // namespace fabricast::inline packet
