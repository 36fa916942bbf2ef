#pragma once
// A step computes on representatives. A slow GPU is one of those that some representative stands for, and all of them
// wait for it: at the next call of their group, or before the step ends.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/plan/training/layout.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// The same events, each slow GPU's at its stage's representative. Of several slow ones the slowest at each moment
// counts: exact for one GPU a stage, an upper bound where GPUs of different replicas are slow by turns.
std::vector<LinkEvent> at_representatives(const std::vector<LinkEvent>& events, const Layout& layout,
                                          const Fabric& fabric);

}  // namespace fabricast
