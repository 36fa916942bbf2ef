// Built instead of mpi.cpp if the build found no MPI.

#include "cli/mpi.hpp"

namespace fabricast::cli {

bool has_mpi() { return false; }

Ranks::Ranks() {
    throw MissingMpi(
        "mpirun started several processes, but this build has no MPI (accepted: one process, or sweep --shard)");
}

Ranks::~Ranks() {}  // not defaulted: the class declares it for mpi.cpp, where it ends MPI

bool Ranks::first() const { return true; }

bool Ranks::agree(const std::string&, std::string& error) const { return error.empty(); }

void Ranks::share(const std::vector<std::size_t>&, std::size_t, const std::atomic<bool>&,
                  const std::function<std::string(std::size_t)>&,
                  const std::function<void(std::size_t, const std::string&)>&) {}

void Ranks::dismiss() {}

void Ranks::abort(ExitCode code) const { std::exit(static_cast<int>(code)); }

ReplayPeers::ReplayPeers() = default;

ReplayPeers::~ReplayPeers() = default;

std::uint32_t ReplayPeers::rank() const { return 0; }

std::uint32_t ReplayPeers::count() const { return 1; }

void ReplayPeers::note(const std::string& text) { notes_.push_back(text); }

std::vector<Peers::Message> ReplayPeers::exchange(std::vector<Message> to_each) { return to_each; }

void ReplayPeers::end(ExitCode, const std::string&) {}

}  // namespace fabricast::cli
