#pragma once
// Parses YAML into a plain tree of values, each with its location in the text. What yaml-cpp would accept (duplicate
// keys, cycles through aliases, alias bombs, several documents) is refused here, before any other code sees it.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml_node.hpp"

namespace fabricast::inline base::yaml {

// Limits for one text, checked before or while the tree is built.
inline constexpr std::size_t max_file_bytes = std::size_t{16} << 20U;
inline constexpr std::size_t max_nodes = 100'000;  // after aliases are expanded
inline constexpr int max_depth = 64;

// Throws InputError. `file` is only the name shown in errors.
Node parse(std::string_view text, const std::string& file);

// Reads and parses a file; its size is checked first. Throws InputError, also (at 1:1) if it cannot be read.
Node read(const std::filesystem::path& path);

// The YAML files, sorted, among the entries of a folder (directory_iterator) or a tree of folders
// (recursive_directory_iterator). Throws filesystem_error if it cannot be read on.
template <class Entries> std::vector<std::filesystem::path> files_among(Entries entries) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : entries) {
        if (entry.path().extension() == ".yaml") { files.push_back(entry.path()); }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace fabricast::inline base::yaml
