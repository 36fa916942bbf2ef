#pragma once
// The version of the form of our own files: scenarios, parts, nodes, overlays, measurements, recordings.

#include <fmt/format.h>

#include <vector>

#include "base/yaml_node.hpp"

namespace fabricast::inline base {

inline constexpr int schema_version = 1;

// Throws InputError if `version` is none that is read.
inline void check_schema_version(const yaml::Node& version) {
    if (version.as_string() != fmt::to_string(schema_version)) {
        version.fail("tells a version that this fabricast does not read",
                     fmt::format("{}; the fabricast that wrote the file reads it", schema_version));
    }
}

// A file without its `schema_version`, which is checked; without that key it is of version 1.
inline yaml::Node of_known_version(yaml::Node root) {
    const yaml::Node* version = root.is_map() ? root.get("schema_version") : nullptr;
    if (version == nullptr) { return root; }
    check_schema_version(*version);
    std::erase_if(root.children, [](const yaml::Node& member) { return member.name == "schema_version"; });
    return root;
}

}  // namespace fabricast::inline base
