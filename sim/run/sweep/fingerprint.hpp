#pragma once
// What tells one input from another: 128 bits over everything that a result depends on. Not against malice.

#include <string>
#include <string_view>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// 32 hexadecimal digits.
std::string fingerprint(std::string_view text);

// Of every part with its words and figures.
std::string fingerprint(const Catalog& catalog);

// Of the scenario as it is resolved, whatever way it was written, and of the files of its trace by their length and
// time; its `sweep` does not count.
std::string fingerprint(const Scenario& scenario);

}  // namespace fabricast
