#pragma once
// A file that travels inside the program as text; cmake/embed.cmake writes tables of them.

#include <string_view>

namespace fabricast {

struct EmbeddedFile {
    std::string_view name;  // where it stands in the source tree: "topologies/nodes/dgx-h100.yaml"
    std::string_view text;
};

}  // namespace fabricast
