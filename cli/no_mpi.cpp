// Built instead of mpi.cpp if the build found no MPI.

#include <cstdlib>

#include "cli/mpi.hpp"

namespace fabricast::cli {

bool has_mpi() { return false; }

Ranks::Ranks() {
    throw MissingMpi("mpirun started several processes, but this build has no MPI (accepted: one process, or --shard)");
}

Ranks::~Ranks() {}  // not defaulted: the class declares it for mpi.cpp, where it ends MPI

bool Ranks::first() const { return true; }

bool Ranks::agree(const std::string&, std::string& error) const { return error.empty(); }

void Ranks::share(const std::vector<std::size_t>&, std::size_t, const std::atomic<bool>&,
                  const std::function<std::string(std::size_t)>&,
                  const std::function<void(std::size_t, const std::string&)>&) {}

void Ranks::dismiss() {}

void Ranks::abort(ExitCode code) const { std::exit(static_cast<int>(code)); }

}  // namespace fabricast::cli
