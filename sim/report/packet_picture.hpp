#pragma once
// What happened at the worst ports of the packet engine against time, as a picture.

#include <string>

#include "sim/report/report.hpp"

namespace fabricast {

// An SVG with a strip for each port of each row's series: bytes queued as a curve, time paused as shade.
std::string packet_picture(const Report& report);

}  // namespace fabricast
