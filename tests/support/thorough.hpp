#pragma once
// How much of a test of many draws runs. `./dev test` is to end within minutes; CI and `./dev test --thorough` draw
// all. Cases with the tag [thorough] run there only (main.cpp), or where they are named.

#include <cstdlib>

namespace fabricast::testing {

inline bool thorough() { return std::getenv("FABRICAST_THOROUGH") != nullptr; }

}  // namespace fabricast::testing
