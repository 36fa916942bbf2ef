#include "base/schema_version.hpp"

#include <fmt/format.h>

namespace fabricast::inline base {

void check_schema_version(const yaml::Node& version) {
    if (version.as_string() != fmt::to_string(schema_version)) {
        version.fail("tells a version that this fabricast does not read",
                     fmt::format("{}; the fabricast that wrote the file reads it", schema_version));
    }
}

yaml::Node of_known_version(yaml::Node root) {
    const yaml::Node* version = root.is_map() ? root.get("schema_version") : nullptr;
    if (version == nullptr) { return root; }
    check_schema_version(*version);
    std::erase_if(root.children, [](const yaml::Node& member) { return member.name == "schema_version"; });
    return root;
}

}  // namespace fabricast::inline base
