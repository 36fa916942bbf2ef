#pragma once
// Message sizes, written as a list or as {from, to, factor}.

#include <vector>

#include "base/units.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline scenario {

// from, from * factor, ... up to `to`, each rounded to whole bytes. Preconditions: 0 < from <= to, factor > 1.
std::vector<Bytes> geometric_sizes(Bytes from, Bytes to, double factor);

// The sizes of a scenario that names none: 8 B to 8 GiB, doubling.
std::vector<Bytes> default_sizes();

// Throws InputError at the invalid value.
std::vector<Bytes> read_sizes(const yaml::Node& node);

}  // namespace fabricast::inline scenario
