#pragma once
// Lanes: a link may be several ports that share its wire, each with a queue, a receive buffer and flow control of its
// own. InfiniBand's virtual lanes and Ethernet's priorities are lanes of the links between nodes; PCI Express's posted,
// non-posted and completion transactions are lanes inside one.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engines/packet/options.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline packet {

// The lanes of a PCIe link (PCI-SIG Base 5.0 section 2.6.1).
enum PcieLane : std::uint8_t { posted, non_posted, completion, pcie_lanes };

// Packet sizes of a PCIe link, in bytes.
struct PcieForm {
    std::int64_t payload = 256;      // MaxPayloadSize
    std::int64_t completion = 256;   // payload of one completion
    std::int64_t write_header = 24;  // of a write TLP, in addition to its payload
    std::int64_t completion_header = 20;
    std::int64_t request = 24;  // a read request on the wire
    double line = 1;            // wire bytes that the link carries per byte of its capacity
};

// The requester's side of a transfer that begins with a read: who asks whom.
struct Read {
    DeviceId requester{}, memory{};
    std::uint8_t cables = 0;  // number of cables between them
};

class Lanes {
public:
    Lanes(const Fabric& fabric, const Packet& options);

    std::uint8_t count(LinkClass cls) const;
    // The lane on each link of a path, in order. `request`: for the request of a read.
    std::vector<std::uint8_t> along(const PathQuery& query, std::span<const LinkId> path, bool request) const;
    // The read over PCIe that the path begins with; its `cables` is 0 if the path does not begin with a read.
    Read read_of(std::span<const LinkId> path) const;
    const PcieForm& pcie() const { return pcie_; }

private:
    std::uint8_t level_lane(const PathQuery& query) const;
    std::vector<std::uint8_t> pcie_lanes_of(std::span<const LinkId> path) const;

    const Fabric& fabric_;
    const Packet& options_;
    PcieForm pcie_;
};

}  // namespace fabricast::inline packet
