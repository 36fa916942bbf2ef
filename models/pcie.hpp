#pragma once
// PCI Express, generations 1 to 7: what a TLP costs, what reads and writes reach, what a switch adds. A generation is
// its rate per lane and its encoding, both from the catalogue; the formulas are the same for all. Sources: PCI-SIG Base
// Specification 5.0 §2.2, §3.5, §4.2 (TLP, DLLP, framing) and 6.0 §4.2.3 (flit mode); Neugebauer et al., "Understanding
// PCIe performance for end host networking", SIGCOMM'18 (the read formula).

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast {

namespace pcie {

// Bytes of one TLP beside its payload. Generations 1 and 2: STP 1 + sequence number 2 + LCRC 4 + END 1; 3 to 5: STP
// token with the sequence number 4 + LCRC 4: eight either way. In flit mode (6 and 7) the flit pays for both.
constexpr Bytes framing_bytes(int generation) { return {generation >= 6 ? 0 : 8}; }

// Headers: 4 DW for a memory write or read request with a 64-bit address (GPU apertures are), 3 DW for a completion.
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
    std::string name;
    int generation = 4;
    int lanes = 16;
    Rate rate;                    // after encoding, per direction
    Bytes max_payload{256};       // MaxPayloadSize: the largest write or completion
    Bytes max_read_request{512};  // MRRS
    int read_tags = 256;          // reads in flight
    double control_share = 0;     // of the line for ACK, UpdateFC and skip sets
    Duration latency;             // SerDes, PCS and wire of one link, one way
    Duration read_round_trip;     // of a device's DMA read, with the memory behind it
};

// Throws CatalogError where the part is no PCIe link or lacks a figure.
PcieSpec pcie_spec(const Part& part);

// Payload bytes per second of endless writes, each of at most `message` bytes.
double write_bandwidth(const PcieSpec& link, Bytes message);

// The same of reads: the completions' share of the line, or what the tags keep in flight over a round trip.
double read_bandwidth(const PcieSpec& link, Bytes message);

// Bytes per second that the requests of such reads cost on the opposite direction.
double read_request_load(const PcieSpec& link, double read_bytes_per_second);

// As a link of the fabric: writes decide its framing.
LinkSpec link_spec(const PcieSpec& link);

// Sum of both directions that a root port or host bridge serves when each alone would carry `one_way`: it is one
// service to memory, not two pipes. `share` is the part of 2 * one_way that is left (measured; catalogue:
// duplex.share).
constexpr double duplex_capacity(double one_way, double share) { return 2 * one_way * share; }

}  // namespace fabricast
