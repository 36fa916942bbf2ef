#pragma once
// Our own YAML of a Recording, for writing one by hand and for keeping an imported trace small. docs/traces.md shows
// it.

#include <string>

#include "sim/workloads/import/recording.hpp"

namespace fabricast {

// As import_recording reads it back. Throws std::length_error where the reader would refuse it as too large.
std::string recording_yaml(const Recording& recording);

}  // namespace fabricast
