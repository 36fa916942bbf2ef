#pragma once
// Two small hashes, the same on every machine: a seeded one, by which switches spread flows, and one of text.

#include <cstdint>
#include <string_view>

namespace fabricast::inline base {

// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

// 64-bit FNV-1a (Fowler, Noll, Vo) of `text`; `before`, the hash of an earlier text, continues that text with this one.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = 0xcbf29ce484222325U) {
    for (const char c : text) { before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3U; }
    return before;
}

// The index in [0, choices) that a switch picks for a flow. Each switch has its own salt; otherwise
// all would choose alike.
constexpr std::uint32_t pick(std::uint64_t flow_hash, std::uint32_t salt, std::uint32_t choices) {
    if (choices <= 1) { return 0; }
    const std::uint64_t h = mix(flow_hash ^ (static_cast<std::uint64_t>(salt) << 20U)) >> 32U;
    return static_cast<std::uint32_t>((h * choices) >> 32U);
}

}  // namespace fabricast::inline base
