#pragma once
// A step computes on representatives. A slow GPU belongs to those that some representative GPU represents, and all of
// them wait for the slow one: at the next call of their group, or before the step ends.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/plan/training/layout.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline training {

// The same events, with those of slow GPUs moved to their stage's representative. If several are slow, the slowest at
// each moment counts: this is exact for one slow GPU per stage, and an upper bound if GPUs of different replicas are
// slow by turns.
std::vector<LinkEvent> at_representatives(const std::vector<LinkEvent>& events, const Layout& layout,
                                          const Fabric& fabric);

}  // namespace fabricast::inline training
