#pragma once
// Our own YAML of a Recording, for writing one by hand and for keeping an imported trace small. docs/traces.md shows
// it.

#include <string>
#include <string_view>

#include "sim/plan/traces/recording.hpp"

namespace fabricast {

// Adds what the text says. Throws InputError.
void read_recording(std::string_view yaml, const std::string& file, Recording& recording);

// As read_recording reads it back. Throws std::length_error where the reader would refuse it as too large.
std::string recording_yaml(const Recording& recording);

}  // namespace fabricast
