#pragma once
// PCI Express, generations 1 to 7: the overhead of a TLP, and the limit when both directions are busy. A generation is
// defined by its rate per lane and its encoding, both from the catalogue; the formulas are the same for all. Sources:
// PCI-SIG Base Specification 5.0 §2.2, §3.5, §4.2 (TLP, DLLP, framing) and 6.0 §4.2.3 (flit mode).

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast::inline models {

namespace pcie {

// Bytes of one TLP other than its header and payload. Generations 1 and 2: STP 1 + sequence number 2 + LCRC 4 + END 1;
// 3 to 5: STP token with the sequence number 4 + LCRC 4; 8 bytes in both cases. In flit mode (6, 7) the flit has it.
constexpr Bytes framing_bytes(int generation) { return {generation >= 6 ? 0 : 8}; }

// Headers: 4 DW for a write or read request with a 64-bit address (GPU apertures have one), 3 DW for a completion.
inline constexpr Bytes request_header{16};
inline constexpr Bytes completion_header{12};

constexpr Bytes write_overhead(int generation) { return framing_bytes(generation) + request_header; }
constexpr Bytes completion_overhead(int generation) { return framing_bytes(generation) + completion_header; }

// Share of payload in an endless stream of TLPs of `payload` bytes each.
constexpr double efficiency(Bytes payload, Bytes overhead) {
    return static_cast<double>(payload.count) / static_cast<double>((payload + overhead).count);
}

static_assert(write_overhead(4) == Bytes{24} && completion_overhead(4) == Bytes{20});

}  // namespace pcie

struct PcieSpec {
    LinkSpec link;  // framed as writes are, with a payload of MaxPayloadSize
    int generation = 4;
    int lanes = 16;
    Bytes max_read_request{512};  // MRRS
};

// Throws CatalogError if the part is not a PCIe link or lacks a figure.
PcieSpec pcie_spec(const Part& part);

// Sum of both directions that a root port or host bridge serves, in bytes per second, if each direction alone would
// carry `one_way`: both compete for one service to memory. `share` is the part of 2 * one_way that remains (measured;
// catalogue: duplex.share).
constexpr double duplex_capacity(double one_way, double share) { return 2 * one_way * share; }

}  // namespace fabricast::inline models
