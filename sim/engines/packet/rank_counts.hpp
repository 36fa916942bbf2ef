#pragma once
// What the ranks of a replay copy to each other when they no longer go on: queues, to say why nothing moves, and all
// that is counted, so that every rank has the same result. All ranks call the same functions in the same order.

#include <vector>

#include "sim/engines/packet/parcel.hpp"
#include "sim/engines/packet/shared.hpp"
#include "sim/engines/packet/worker.hpp"

namespace fabricast::inline packet {

class RankCounts {
public:
    // `own` has run the islands of this rank.
    RankCounts(Peers& peers, Shared& shared, Worker& own)
        : peers_(peers), shared_(shared), own_(own), rank_(peers.rank()) {}

    // Copies the queues of all ports, and what they lost, to all ranks: for looking at, not for going on.
    void copy_queues();
    // The same of everything that is counted; the replay has ended.
    void copy_counts();

private:
    bool owns(std::uint32_t node) const { return shared_.domain_of(node) == rank_; }
    void pack_ports(Peers::Message& message) const;
    void pack_flows(Peers::Message& message) const;
    void take_ports(Unpacking& from);
    void take_flows(Unpacking& from);

    Peers& peers_;
    Shared& shared_;
    Worker& own_;
    std::uint32_t rank_;
};

}  // namespace fabricast::inline packet
