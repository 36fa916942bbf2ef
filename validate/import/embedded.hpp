#pragma once
// Tables of validate/, embedded in the binary so that an installed program runs from any directory.

#include <span>

#include "base/embedded_file.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline validate_import {

// The files that CMakeLists.txt lists.
std::span<const EmbeddedFile> embedded_tables();

// One of them as YAML.
inline yaml::Node embedded_tree(std::string_view name) {
    return yaml::parse(embedded_file(embedded_tables(), name).text, std::string(name));
}

}  // namespace fabricast::inline validate_import
