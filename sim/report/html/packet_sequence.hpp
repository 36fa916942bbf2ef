#pragma once
// The packets of the connection that is watched: a time-sequence chart, and what became of each of them as a table.

#include "sim/report/html/page.hpp"

namespace fabricast::inline report::html {

void add_packet_sequence(Page& page, const PacketSequence& sequence);

}  // namespace fabricast::inline report::html
