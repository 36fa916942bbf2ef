#pragma once
// Headers of tar archives (POSIX.1-2017, pax: ustar interchange format). Recordings of many ranks come as such.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace fabricast::inline base {

inline constexpr std::size_t tar_block = 512;  // bytes of a header; bodies are padded to it
using TarBlock = std::array<char, tar_block>;

struct TarHeader {
    std::string name;
    std::uint64_t size = 0;  // bytes of the body that follows the header
    char type = '0';

    bool file() const { return type == '0' || type == '\0' || type == '7'; }
    bool long_name() const { return type == 'L'; }  // GNU: the body is the next member's name
    std::uint64_t padding() const { return (tar_block - size % tar_block) % tar_block; }
};

// nullopt if the block is not a header, judging by its magic and its checksum.
std::optional<TarHeader> tar_header(const TarBlock& block);

// Whether the block is all zeros; such blocks end an archive.
bool tar_end(const TarBlock& block);

}  // namespace fabricast::inline base
