#pragma once
// A schedule of messages in SimGrid in the two forms that are fast: mailboxes and actors win with many live messages in
// lock-step, one-sided messages between hosts win else. Lazy updates win on rings, full ones where all messages
// contend.

#include "sim/engines/common/schedule.hpp"

namespace fabricast::bench {

bool has_simgrid();

enum class Form { one_sided, actors };

// Both return the makespan in seconds. All paths must be equally long: latencies stand on the links here, which is
// faster than a delay in front. Call once per process.

// Any schedule of messages without issue costs.
double simgrid_one_sided(const Fabric& fabric, const Schedule& schedule, bool lazy);

// The ring of tests/sim/engines/schedules.hpp: an actor a rank, which sends to the right when its own last message is
// through and that of the left has come. Mailboxes have a receiver, so messages start when they are sent.
double simgrid_ring_actors(const Fabric& fabric, const Schedule& schedule, bool lazy);

// All messages at once: an actor a sender, an actor a receiver.
double simgrid_all_to_all_actors(const Fabric& fabric, const Schedule& schedule, bool lazy);

}  // namespace fabricast::bench
