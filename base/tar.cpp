#include "base/tar.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace fabricast::inline base {

namespace {

constexpr std::size_t name_at = 0, name_length = 100, size_at = 124, size_length = 12, sum_at = 148, sum_length = 8,
                      type_at = 156, magic_at = 257, prefix_at = 345, prefix_length = 155;

// A text field ends at its first zero byte, or at its full length.
std::string_view field(const TarBlock& block, std::size_t at, std::size_t length) {
    const std::string_view whole(block.data() + at, length);
    return whole.substr(0, whole.find('\0'));
}

// Octal digits, padded with blanks; GNU writes sizes of 8 GiB and more in base 256, after a first byte of 0x80.
std::optional<std::uint64_t> number(const TarBlock& block, std::size_t at, std::size_t length) {
    if (static_cast<unsigned char>(block[at]) == 0x80U) {
        std::uint64_t value = 0;
        for (std::size_t i = at + length - 8; i < at + length; ++i) {
            value = value << 8U | static_cast<unsigned char>(block[i]);
        }
        return value;
    }
    return number_in<std::uint64_t>(trimmed(field(block, at, length), " "), 8);
}

// Sum of all bytes of the header, with the checksum field counted as blanks.
std::uint64_t checksum(const TarBlock& block) {
    std::uint64_t sum = sum_length * static_cast<std::uint64_t>(' ');
    for (std::size_t i = 0; i < block.size(); ++i) {
        sum += i >= sum_at && i < sum_at + sum_length ? 0 : static_cast<unsigned char>(block[i]);
    }
    return sum;
}

}  // namespace

std::optional<TarHeader> tar_header(const TarBlock& block) {
    const bool magic = std::string_view(block.data() + magic_at, 5) == "ustar";
    const std::optional<std::uint64_t> size = number(block, size_at, size_length);
    if (!magic || !size || number(block, sum_at, sum_length) != checksum(block)) { return std::nullopt; }
    const std::string prefix(field(block, prefix_at, prefix_length));
    const bool posix = block[magic_at + 5] == '\0';  // GNU's magic has a blank there, and its headers have no prefix
    TarHeader header{std::string(field(block, name_at, name_length)), *size, block[type_at]};
    if (posix && !prefix.empty()) { header.name = prefix + "/" + header.name; }
    return header;
}

bool tar_end(const TarBlock& block) {
    return std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; });
}

}  // namespace fabricast::inline base
