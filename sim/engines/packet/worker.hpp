#pragma once
// Runs the nodes that one thread owns, window by window. Nothing that one island sends to another in a window arrives
// in the same window, so each island is run alone, and inside it each node for one step: what came over its links is
// merged by time and queued or sent on, and its ports are drained up to the end of the step. A port's departures are
// computed when the port is next looked at, without an event for each: there is about one event per packet and hop.

#include <memory>
#include <vector>

#include "sim/engines/packet/domain.hpp"
#include "sim/engines/packet/due_list.hpp"
#include "sim/engines/packet/stealable_range.hpp"

namespace fabricast::inline packet {

class Worker {
public:
    Worker(Shared& shared, std::uint32_t id, std::uint32_t domains);

    // Runs every node of this domain that has something to do in [start, end), while other threads run the others.
    // `parity` alternates.
    void run(Ps start, Ps end, unsigned parity, const std::vector<std::unique_ptr<Worker>>& all);
    // Runs every node of all domains; no other thread may run.
    void run_alone(Ps start, Ps end, unsigned parity, const std::vector<std::unique_ptr<Worker>>& all);

    // When there is next something to do, here or for those that this worker has sent to. Valid after run().
    Ps next() const { return domain_.next; }
    std::vector<Done>& done() { return domain_.done; }
    const DomainCounts& counts() const { return domain_.counts; }
    // Called from outside, between windows.
    void post(const ControlMessage& mail) { domain_.deliver(mail); }

private:
    void begin_window(Ps start, Ps end, unsigned parity);
    void take_box(std::vector<ControlMessage>& box);
    // Runs the islands of this worker or another one that can still be taken.
    void run_open(Worker& of, Claim (StealableRange::*take)());
    Ps run_island(std::uint32_t island);
    void run_node(std::uint32_t n);
    Ps gather(const Node& node, std::uint32_t n);

    Domain domain_;
    std::uint32_t id_, domains_;
    std::vector<std::uint32_t> islands_;
    StealableRange open_;  // the islands still to be run in this window
    bool straight_;        // packets take arrive_fast_path()
    DueList due_;
    std::vector<ControlMessage> mails_;  // due in the node that is running
};

}  // namespace fabricast::inline packet
