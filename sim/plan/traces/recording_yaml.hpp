#pragma once
// Writes a Recording in our own YAML form.

#include <string>

#include "sim/plan/traces/recording.hpp"

namespace fabricast {

// The text that read_recording reads back. Throws std::length_error if the reader would refuse it as too large.
std::string recording_yaml(const Recording& recording);

}  // namespace fabricast
