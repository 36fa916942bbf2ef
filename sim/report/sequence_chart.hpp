#pragma once
// The packets of one connection as a time-sequence chart.

#include <string>

#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline report {

inline constexpr double sequence_width = 900, sequence_height = 520;

// Elements of SVG: a line for each sending of a packet, from when it was sent to when it came or was lost, at the
// height of its bytes; dots for what the sender was told, shades for pauses. Its words alone if nothing was sent.
std::string sequence_chart(const PacketSequence& sequence);

// Between whom, how many bytes, when the first packet went, and how many sendings are not drawn.
std::string sequence_words(const PacketSequence& sequence);

}  // namespace fabricast::inline report
