#pragma once
// Detects whether several processes of this program were started together.

namespace fabricast::cli {

// Whether mpirun, or Slurm's PMI, started more than one process, according to the environment.
bool several_ranks();

}  // namespace fabricast::cli
