#pragma once
// A measurement as the YAML that parse_measurement reads.

#include <string>

#include "validate/import/measurement.hpp"

namespace fabricast {

std::string to_yaml(const Measurement& measurement);

}  // namespace fabricast
