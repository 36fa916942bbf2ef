#pragma once
// The version of the form of our own files: scenarios, parts, nodes, overlays, measurements, recordings.

#include "base/yaml.hpp"

namespace fabricast::inline base {

inline constexpr int schema_version = 1;

// Throws InputError if `version` is none that is read.
void check_schema_version(const yaml::Node& version);

// A file without its `schema_version`, which is checked; without that key it is of version 1.
yaml::Node of_known_version(yaml::Node root);

}  // namespace fabricast::inline base
