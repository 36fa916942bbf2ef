#pragma once
// YAML of this folder inside the binary, so that an installed program works from anywhere.

#include <string_view>

namespace fabricast {

std::string_view embedded_aliases();
std::string_view embedded_priors();
std::string_view embedded_transfers();

}  // namespace fabricast
