#pragma once
// Sizes as tests write them: 64 * KiB.

#include <cstdint>

namespace fabricast {

constexpr std::int64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

}  // namespace fabricast
