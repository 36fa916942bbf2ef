#pragma once
// Lanes: a link may be several ports that share its wire, each with a queue, a receive buffer and flow control of its
// own. InfiniBand's virtual lanes and Ethernet's priorities are lanes of the links between nodes; PCI Express's posted,
// non-posted and completion transactions are lanes inside one.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/engines/packet/options.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline packet {

// Of links between nodes where packets are trimmed: headers go before whole packets.
enum TrimLane : std::uint8_t { whole_packets, headers, trim_lanes };

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

// Chooses the next of the lanes that share a wire: weighted round robin in two priorities, like InfiniBand's VL
// arbitration (IBTA Vol. 1 section 7.6.9.2).
class WeightedRoundRobin {
public:
    static constexpr int no_limit = 255;

    // Weights in blocks of 64 B; `high`: bits of the lanes of high priority, which may send no more than `limit` times
    // 4 KiB while another lane waits.
    WeightedRoundRobin(std::vector<std::int32_t> weights, std::uint32_t high, int limit)
        : weights_(std::move(weights)), high_(high), limit_(limit) {
        for (Table& table : tables_) {
            table.lane = static_cast<std::uint32_t>(weights_.size() - 1);  // the first begins
        }
    }

    // Precondition: `ready` has a bit of at least one lane.
    std::uint32_t next(std::uint32_t ready) const {
        const std::uint32_t high = ready & high_;
        const std::uint32_t low = ready & ~high_;
        const bool high_goes = high != 0 && (low == 0 || limit_ == no_limit || high_bytes_ == 0 ||
                                             high_bytes_ < std::int64_t{limit_} * 4096);
        return following(high_goes ? high : low, tables_[high_goes ? 0 : 1]);
    }

    void sent(std::uint32_t lane, std::uint32_t bytes) {
        const bool high = (high_ >> lane & 1U) != 0;
        Table& table = tables_[high ? 0 : 1];
        if (table.lane != lane || table.left <= 0) { table = {lane, weights_[lane]}; }
        table.left -= static_cast<std::int32_t>((bytes + 63) / 64);
        high_bytes_ = high ? high_bytes_ + bytes : 0;
    }

private:
    struct Table {
        std::uint32_t lane = 0;  // whose turn it is
        std::int32_t left = 0;   // what is left of its weight
    };

    std::uint32_t following(std::uint32_t lanes, const Table& table) const {
        if ((lanes >> table.lane & 1U) != 0 && table.left > 0) { return table.lane; }
        const auto count = static_cast<std::uint32_t>(weights_.size());
        std::uint32_t lane = table.lane;
        do { lane = (lane + 1) % count; } while ((lanes >> lane & 1U) == 0);
        return lane;
    }

    std::vector<std::int32_t> weights_;
    std::uint32_t high_;
    int limit_;
    Table tables_[2];  // of high priority, of low priority
    std::int64_t high_bytes_ = 0;
};

// Of each link of a class.
std::uint8_t lane_count(const Packet& options, LinkClass cls);
// The lane on each link of a path, in order. `request`: for the request of a read.
std::vector<std::uint8_t> lanes_along(const Fabric& fabric, const Packet& options, const PathQuery& query,
                                      std::span<const LinkId> path, bool request);
// The read over PCIe that the path begins with; its `cables` is 0 if the path does not begin with a read.
Read read_of(const Fabric& fabric, std::span<const LinkId> path);
// Throws TooLarge if a completion would be larger than a packet.
PcieForm pcie_form(const Fabric& fabric, const PcieOptions& options);

}  // namespace fabricast::inline packet
