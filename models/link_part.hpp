#pragma once
// Builds a LinkSpec from a catalogue part of kind `link`. Each family has its own framing. To add a family, add a row
// to the table in link_part.cpp; if its framing is a formula, put that into a file of its own.

#include <span>
#include <string_view>

#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast::inline models {

struct LinkFamilyRow {
    std::string_view name;  // the word `family` of its parts
    LinkSpec (*spec)(const Part& part, LinkFamily family);
    bool network = false;  // joins nodes; else it is found inside a node only
    bool sprays = true;    // a network of it sprays packets over equal paths unless the scenario says otherwise
};

std::span<const LinkFamilyRow> link_families();

// Throws CatalogError if the part is not a link, or a figure is missing or in another unit.
LinkSpec link_spec(const Part& part, std::span<const LinkFamilyRow> families = link_families());

// The family that the part states; throws CatalogError naming the nearest.
LinkFamily link_family(const Part& part, std::span<const LinkFamilyRow> families = link_families());

// Reads the figures that all link families share from a part.

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
