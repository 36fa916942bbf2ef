#pragma once

#include <string>

#include "sim/engines/common/schedule.hpp"

namespace fabricast {

// "operation 3 (node0.gpu0 to node1.gpu0)".
std::string described(const Fabric& fabric, const Schedule& schedule, OpId op);

}  // namespace fabricast
