#include "cli/ranks.hpp"

// Reads the variables that launchers set, so it needs no MPI.

#include <array>
#include <cstdlib>

namespace fabricast::cli {

bool several_ranks() {
    // OMPI_COMM_WORLD_SIZE is set by Open MPI; the others by MPICH, Intel MPI and Slurm's pmi2.
    constexpr std::array sizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (const char* name : sizes) {
        if (const char* size = std::getenv(name); size != nullptr && std::atoi(size) > 1) {
            return true;
        }
    }
    return false;
}

}  // namespace fabricast::cli
