#pragma once
// What the packet engine found, as pictures in SVG.

#include <string>
#include <vector>

#include "sim/report/report.hpp"

namespace fabricast::inline report {

// One strip for each of the worst ports: bytes queued over time as a curve, time paused as shading. Under them, the
// packets of the connection that is watched, if one is.
std::string packet_picture(const Report& report);

// The links that a message of CannotEnd names in quotes, each with the lane that follows it (" lane 3"), if one does.
struct QuotedLink {
    std::string name, lane;
};
std::vector<QuotedLink> quoted_links(const std::string& message);

// The links of such a message: a deadlock as a circle in the order of waiting, any other as a column of boxes.
std::string deadlock_picture(const std::string& message);

}  // namespace fabricast::inline report
