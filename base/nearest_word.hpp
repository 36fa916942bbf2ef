#pragma once
// Suggests what the user may have meant to write.

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// The one of `words` closest to `found` by edit distance, or "" if none is close enough to be a typing error.
std::string nearest_word(std::string_view found, const std::vector<std::string>& words);

}  // namespace fabricast
