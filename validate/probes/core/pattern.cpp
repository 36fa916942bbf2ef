#include "core/pattern.hpp"

#include <algorithm>
#include <cstring>

namespace probe {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

void fill_pattern(void* data, std::size_t bytes, std::uint64_t seed) {
    auto* out = static_cast<unsigned char*>(data);
    const std::size_t words = bytes / word_bytes;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t word = pattern_word(seed, i);
        std::memcpy(out + i * word_bytes, &word, word_bytes);
    }
    const std::uint64_t last = pattern_word(seed, words);
    std::memcpy(out + words * word_bytes, &last, bytes % word_bytes);
}

std::optional<std::size_t> first_difference(const void* data, std::size_t bytes, std::uint64_t seed) {
    const auto* in = static_cast<const unsigned char*>(data);
    for (std::size_t at = 0; at < bytes; at += word_bytes) {
        const std::uint64_t expected = pattern_word(seed, at / word_bytes);
        const std::size_t n = std::min(bytes - at, word_bytes);
        if (std::memcmp(in + at, &expected, n) == 0) { continue; }
        const auto* right = reinterpret_cast<const unsigned char*>(&expected);
        return static_cast<std::size_t>(std::mismatch(in + at, in + at + n, right).first - in);
    }
    return std::nullopt;
}

}  // namespace probe
