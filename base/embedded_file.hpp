#pragma once
// A text file compiled into the program; cmake/embed.cmake writes tables of them.

#include <string_view>

namespace fabricast::inline base {

struct EmbeddedFile {
    std::string_view name;  // path in the source tree: "topologies/nodes/dgx-h100.yaml"
    std::string_view text;
};

}  // namespace fabricast::inline base
