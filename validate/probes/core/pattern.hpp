#pragma once
// The bytes that transfers carry: cheap to make anywhere, different for every seed, so that data of an earlier
// transfer or of a neighbouring slot is never taken for the right one.

#include <cstddef>
#include <cstdint>
#include <optional>

// Device code computes the same words.
#ifdef __CUDACC__
#define PROBE_HOST_DEVICE __host__ __device__
#else
#define PROBE_HOST_DEVICE
#endif

namespace probe {

// Word i of the stream.
PROBE_HOST_DEVICE constexpr std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t i) {
    return (seed * 0x9E3779B97F4A7C15ULL + i) * 0xD1342543DE82EF95ULL + 0x632BE59BD9B4E019ULL;
}

void fill_pattern(void* data, std::size_t bytes, std::uint64_t seed);
// The offset of the first byte that is not the pattern's.
std::optional<std::size_t> first_difference(const void* data, std::size_t bytes, std::uint64_t seed);

}  // namespace probe
