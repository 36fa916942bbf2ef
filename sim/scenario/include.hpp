#pragma once
// `include:` merges the files that a scenario starts from. Maps are merged key by key, everything else is replaced;
// later files win over earlier ones, and the including file wins over all.

#include <filesystem>

#include "base/yaml.hpp"

namespace fabricast::inline scenario {

// `root` as read from `file`, with its includes merged in and the key `include` removed. Throws InputError at an entry
// that cannot be read, forms a cycle or lies outside the including file's folder.
yaml::Node with_includes(yaml::Node root, const std::filesystem::path& file);

// `base` with the values of `over` merged in.
yaml::Node merged(yaml::Node base, yaml::Node over);

}  // namespace fabricast::inline scenario
