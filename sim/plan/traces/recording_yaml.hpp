#pragma once
// A Recording in our own YAML form.

#include <string>
#include <string_view>

#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

// Reads the text and adds it to `recording`. Throws InputError.
void read_recording(std::string_view yaml, const std::string& file, Recording& recording);

// The text that read_recording reads back. Throws std::length_error if the reader would refuse it as too large.
std::string recording_yaml(const Recording& recording);

}  // namespace fabricast::inline traces
