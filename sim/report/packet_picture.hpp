#pragma once
// The worst ports of the packet engine over time, as a picture.

#include <string>

#include "sim/report/report.hpp"

namespace fabricast {

// An SVG with one strip for each port that has a series: bytes queued as a curve, time paused as shading.
std::string packet_picture(const Report& report);

}  // namespace fabricast
