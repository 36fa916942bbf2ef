#pragma once
// The figures that every family of links is made of, read from a part.

#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast {

// Bytes per picosecond of `lanes` lanes at `transfers` per second and lane, of which data_bits in line_bits carry data.
// Exact: 25.78125 GT/s under 64b/66b is 25 Gb/s and no rounding.
constexpr Rate encoded_rate(std::int64_t transfers, int lanes, std::int64_t data_bits, std::int64_t line_bits) {
    return {transfers * lanes * data_bits, line_bits * 8 * 1'000'000'000'000};
}

static_assert(encoded_rate(25'781'250'000, 4, 64, 66) == Rate::megabits(100'000));      // EDR, 100GbE
static_assert(encoded_rate(106'250'000'000, 4, 16, 17) == Rate::megabits(400'000));     // NDR
static_assert(encoded_rate(8'000'000'000, 16, 128, 130).bytes_per_second() > 15.75e9);  // PCIe 3.0 x16
static_assert(encoded_rate(8'000'000'000, 16, 128, 130).bytes_per_second() < 15.76e9);

// The line rate of a part: `rate`, or `signalling` * `lanes` * `encoding` [data bits, line bits]. Throws CatalogError.
Rate line_rate(const Part& part);

// A family whose packets are not public, or a user's own: the part may state its framing, else payload is all there is.
Framing stated_framing(const Part& part);

// A link of the part's own rate and latency, whose packets are known. Throws CatalogError.
LinkSpec framed_link(const Part& part, LinkFamily family, const Framing& framing);

}  // namespace fabricast
