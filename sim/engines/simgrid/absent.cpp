#include "sim/engines/simgrid/simgrid.hpp"

namespace fabricast::inline simgrid_engine {

std::string_view SimGrid::missing() { return "this build has no SimGrid: install libsimgrid-dev and build again"; }

MemoryNeed SimGrid::memory(const Fabric&, const Schedule&) { return {}; }

Timeline replay_task(const SimGrid&, const ReplayTask&) { throw MissingEngine(std::string(SimGrid::missing())); }

}  // namespace fabricast::inline simgrid_engine
