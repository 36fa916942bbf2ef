#include "core/pattern.hpp"

#include <cstring>

namespace probe {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

}  // namespace

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
        const std::size_t n = bytes - at < word_bytes ? bytes - at : word_bytes;
        if (std::memcmp(in + at, &expected, n) == 0) { continue; }
        unsigned char right[word_bytes];
        std::memcpy(right, &expected, word_bytes);
        for (std::size_t i = 0; i < n; ++i) {
            if (in[at + i] != right[i]) { return at + i; }
        }
    }
    return std::nullopt;
}

}  // namespace probe
