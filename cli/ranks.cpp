#include "cli/ranks.hpp"

// Whether somebody started more than one of us, as their environments say; needs no MPI.

#include <array>
#include <cstdlib>

namespace fabricast::cli {

bool several_ranks() {
    // Open MPI; MPICH, Intel MPI and Slurm's pmi2.
    constexpr std::array sizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (const char* name : sizes) {
        if (const char* size = std::getenv(name); size != nullptr && std::atoi(size) > 1) {
            return true;
        }
    }
    return false;
}

}  // namespace fabricast::cli
