#pragma once
// Reads the figures that all link families share from a part.

#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast::inline models {

// Data rate of `lanes` lanes at `transfers` per second per lane, with an encoding that sends data_bits as line_bits.
// Exact: 25.78125 GT/s with 64b/66b is 25 Gb/s without rounding.
constexpr Rate encoded_rate(std::int64_t transfers, int lanes, std::int64_t data_bits, std::int64_t line_bits) {
    return {transfers * lanes * data_bits, line_bits * 8 * 1'000'000'000'000};
}

static_assert(encoded_rate(25'781'250'000, 4, 64, 66) == Rate::megabits(100'000));      // EDR, 100GbE
static_assert(encoded_rate(106'250'000'000, 4, 16, 17) == Rate::megabits(400'000));     // NDR
static_assert(encoded_rate(8'000'000'000, 16, 128, 130).bytes_per_second() > 15.75e9);  // PCIe 3.0 x16
static_assert(encoded_rate(8'000'000'000, 16, 128, 130).bytes_per_second() < 15.76e9);

// A part's line rate: its `rate`, or `signalling` * `lanes` * `encoding` ([data bits, line bits]). Throws CatalogError.
Rate line_rate(const Part& part);

// A link with the part's rate and latency and the given framing. Throws CatalogError.
LinkSpec framed_link(const Part& part, LinkFamily family, const Framing& framing);

}  // namespace fabricast::inline models
