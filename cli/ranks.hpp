#pragma once
// Whether several of us run side by side.

namespace fabricast::cli {

// The environment says that mpirun, or Slurm's PMI, started more than one of us.
bool several_ranks();

}  // namespace fabricast::cli
