#pragma once
// What must be true of every buffer at any time.

#include "sim/engines/packet/shared.hpp"

namespace fabricast::inline packet {

// Windows between two looks at all buffers, if the replay checks itself (common/checks.hpp).
inline constexpr std::int64_t windows_between_checks = 64;

// Throws std::logic_error if a sender has spent more credits than it had, a count of bytes is below zero, or a buffer
// holds more than it has room for. No thread may be running.
void check_buffers(const Shared& shared, const Fabric& fabric);

}  // namespace fabricast::inline packet
