#pragma once
// The one door to YAML. A text becomes a plain tree of values that know where they were written; what yaml-cpp would
// let pass (duplicate keys, cycles through aliases, alias bombs, several documents) is refused before anything else
// looks.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/yaml_node.hpp"

namespace fabricast::yaml {

// Limits of one text, checked before or while the tree is built.
inline constexpr std::size_t max_file_bytes = std::size_t{16} << 20U;
inline constexpr std::size_t max_nodes = 100'000;  // after aliases are expanded
inline constexpr int max_depth = 64;

// Throws InputError. `file` is only a name for places.
Node parse(std::string_view text, const std::string& file);

// Reads and parses a file; the size is checked before a byte is read. Throws InputError, also (at 1:1) when the file
// cannot be read.
Node read(const std::filesystem::path& path);

}  // namespace fabricast::yaml
