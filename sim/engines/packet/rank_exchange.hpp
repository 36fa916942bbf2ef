#pragma once
// What the ranks of one replay tell each other. Each has made the same traffic and network, runs the islands that are
// its own, and runs the operations as all others do. After a window every rank sends every other one message: what it
// has put on wires that lead to the other's nodes, what those nodes are told without packets, and what all must know
// (what has ended, when there is next something to do). Nothing that one island sends another in a window is due in the
// same window, so the ranks see what one process would.

#include <vector>

#include "sim/engines/packet/peers.hpp"
#include "sim/engines/packet/shared.hpp"
#include "sim/engines/packet/worker.hpp"

namespace fabricast::inline packet {

// What is known after a window of all ranks together.
struct WindowEnd {
    Ps next = never;  // when there is next something to do
    std::int64_t in_flight = 0, hops = 0;
};

class RankExchange {
public:
    // `own` runs the islands of this rank.
    RankExchange(Peers& peers, Shared& shared, Worker& own);

    bool owns(std::uint32_t node) const { return shared_.domain_of(node) == rank_; }
    // Called by all ranks after the same window, and once before the first. Adds the reports of other ranks to those of
    // this one. `plan` stands for what this rank has done so far. Throws std::logic_error if another has done
    // otherwise.
    WindowEnd meet(std::uint64_t plan, unsigned parity);
    // The least of all ranks' values, one by one. All ranks give equally many.
    std::vector<Ps> least(std::vector<Ps> values);

private:
    void send_crossings(std::uint32_t to, unsigned parity, Peers::Message& message);
    void take_crossings(const std::vector<ControlMessage>& mails, Unpacking& from);

    Peers& peers_;
    Shared& shared_;
    Worker& own_;
    std::uint32_t rank_;
    // Per rank: ports that lead to its nodes, and that come from there.
    std::vector<std::vector<std::uint32_t>> leave_, come_;
};

}  // namespace fabricast::inline packet
