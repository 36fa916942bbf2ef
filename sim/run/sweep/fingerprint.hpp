#pragma once
// Fingerprints that distinguish inputs: 128 bits over everything that a result depends on. Not cryptographic.

#include <string>
#include <string_view>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline sweep {

// 32 hexadecimal digits.
std::string fingerprint(std::string_view text);

// Of all parts of the catalogue, with their words and figures.
std::string fingerprint(const Catalog& catalog);

// Of the resolved scenario, without its `sweep`, and of the names, sizes and modification times of its trace files.
std::string fingerprint(const Scenario& scenario);

}  // namespace fabricast::inline sweep
