#include "sim/engines/simgrid/simgrid.hpp"

namespace fabricast {

Timeline replay_simgrid(const Fabric&, const Schedule&, const DeviceLimits&, const Watch&) {
    throw MissingEngine("this build has no SimGrid: install libsimgrid-dev and build again");
}

}  // namespace fabricast
