#pragma once
// Reads our own YAML form of a Recording, to write one by hand or to store an imported trace compactly. docs/traces.md
// shows it.

#include <string>
#include <string_view>

#include "sim/plan/traces/recording.hpp"

namespace fabricast {

// Reads the text and adds it to `recording`. Throws InputError.
void read_recording(std::string_view yaml, const std::string& file, Recording& recording);

}  // namespace fabricast
