#pragma once
// The YAML files that travel inside the program as text; cmake/embed.cmake writes the table. (The catalogue travels as
// tables instead: packed_catalog.hpp.)

#include <span>
#include <string_view>

namespace fabricast {

struct EmbeddedFile {
    std::string_view name;  // where it stands in the source tree: "topologies/nodes/dgx-h100.yaml"
    std::string_view text;
};

std::span<const EmbeddedFile> embedded_nodes();  // topologies/nodes/*.yaml, by name

}  // namespace fabricast
