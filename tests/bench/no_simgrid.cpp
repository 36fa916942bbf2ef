#include "tests/bench/simgrid_forms.hpp"

namespace fabricast::bench {

bool has_simgrid() { return false; }
double simgrid_one_sided(const Fabric&, const Schedule&, bool) { return 0; }
double simgrid_ring_actors(const Fabric&, const Schedule&, bool) { return 0; }
double simgrid_all_to_all_actors(const Fabric&, const Schedule&, bool) { return 0; }

}  // namespace fabricast::bench
