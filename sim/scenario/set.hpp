#pragma once
// `--set path=value` replaces or adds one key of the tree before it is read; `path=null` removes it.

#include <string_view>

#include "base/yaml.hpp"

namespace fabricast::inline scenario {

// Throws InputError at `--set:1:column`; the column counts characters of `assignment`.
void apply_override(yaml::Node& root, std::string_view assignment);

}  // namespace fabricast::inline scenario
