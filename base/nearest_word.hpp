#pragma once
// What somebody may have meant to write.

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// The one of `words` closest to `found` by edit distance, or "" when none is near enough to be a typing slip.
std::string nearest_word(std::string_view found, const std::vector<std::string>& words);

}  // namespace fabricast
