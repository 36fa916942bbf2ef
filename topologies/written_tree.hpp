#pragma once
// Values of a tree as if the user had written them: each has the place of what it follows from, for errors.

#include <string>
#include <string_view>

#include "base/yaml.hpp"

namespace fabricast::inline topologies {

yaml::Node scalar_like(const yaml::Node& like, std::string_view name, std::string text);
yaml::Node empty_like(const yaml::Node& like, yaml::Kind kind, std::string_view name);

// `mesh: {link: ..., links: [[0, 2], ...]}` with so many links between every two GPUs of a group of neighbours.
yaml::Node mesh_like(const yaml::Node& like, const std::string& link, std::int64_t gpus, std::int64_t group,
                     std::int64_t links);

}  // namespace fabricast::inline topologies
