#pragma once
// The packets of one connection as a time-sequence chart.

#include <string>

#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline report {

inline constexpr double sequence_width = 900, sequence_height = 520;

// Elements of SVG: a line for each sending of a packet, from when it was sent to when it came or was lost, at the
// height of its bytes; dots for what the sender was told, shades for pauses. Empty if nothing was sent.
std::string sequence_chart(const PacketSequence& sequence);

// "the first 4,096 packets of ..." and what else a reader must know.
std::string sequence_words(const PacketSequence& sequence);

}  // namespace fabricast::inline report
