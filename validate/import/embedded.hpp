#pragma once
// YAML files of validate/, embedded in the binary so that an installed program runs from any directory.

#include <string_view>

namespace fabricast::inline validate_import {

std::string_view embedded_aliases();
std::string_view embedded_priors();
std::string_view embedded_transfers();

}  // namespace fabricast::inline validate_import
