#pragma once
// Where this tree's files are, for tests that read scenarios, the catalogue or sources.

#include <filesystem>

namespace fabricast::testing {

inline const std::filesystem::path root = FABRICAST_SOURCE_DIR;

}  // namespace fabricast::testing
