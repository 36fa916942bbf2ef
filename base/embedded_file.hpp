#pragma once
// A text file compiled into the program; cmake/embed.cmake writes tables of them.

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fabricast::inline base {

struct EmbeddedFile {
    std::string_view name;  // path in the source tree: "topologies/nodes/dgx-h100.yaml"
    std::string_view text;
};

// The one of this name. Throws std::logic_error if the build did not embed it.
inline const EmbeddedFile& embedded_file(std::span<const EmbeddedFile> files, std::string_view name) {
    const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
    if (found == files.end()) { throw std::logic_error("no embedded file " + std::string(name)); }
    return *found;
}

}  // namespace fabricast::inline base
