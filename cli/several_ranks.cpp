#include <algorithm>
#include <array>
#include <cstdlib>

#include "cli/mpi.hpp"

namespace fabricast::cli {

// Reads the variables that launchers set, so it needs no MPI: Open MPI's, and those of MPICH, Intel MPI and Slurm's
// pmi2.
bool several_ranks() {
    constexpr std::array sizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    return std::ranges::any_of(sizes, [](const char* name) {
        const char* size = std::getenv(name);
        return size != nullptr && std::atoi(size) > 1;
    });
}

}  // namespace fabricast::cli
