#pragma once
// YAML files of validate/, embedded in the binary so that an installed program runs from any directory.

#include <span>

#include "base/embedded_file.hpp"

namespace fabricast::inline validate_import {

// validate/aliases.yaml, validate/transfers.yaml and validate/calibration/priors.yaml.
std::span<const EmbeddedFile> embedded_tables();

}  // namespace fabricast::inline validate_import
