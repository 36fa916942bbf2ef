#pragma once
// The ranks of a job that mpirun started; only this module uses MPI. Of a sweep, rank 0 hands out pieces of work and
// computes too; the other ranks ask for more. No rank spins while it waits: with one thread per rank, two ranks keep
// two cores busy. Of a run, all ranks replay together and wait for each other after every window: they spin a while
// first.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/engines/packet/peers.hpp"

namespace fabricast::cli {

// Several processes were started, and this build cannot join them (exit code 4).
struct MissingMpi : ErrorWith<ExitCode::missing_here> {
    using ErrorWith::ErrorWith;
};

bool has_mpi();  // whether this build can join them

// Whether mpirun, or Slurm's PMI, started more than one process: by the variables of Open MPI, and of MPICH, Intel MPI
// and Slurm's pmi2, which tell it without MPI.
inline bool several_ranks() {
    constexpr std::array sizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    return std::ranges::any_of(sizes, [](const char* name) {
        const char* size = std::getenv(name);
        return size != nullptr && std::atoi(size) > 1;
    });
}

class Ranks {
public:
    // Throws MissingMpi in a build without MPI. At most one instance per process.
    Ranks();
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    bool first() const;

    // Every rank passes the identity of what it read or, in `error`, why it could not read it. Returns on all ranks
    // whether none failed and all read the same. Otherwise an empty `error` is set to the first of another rank.
    bool agree(const std::string& read, std::string& error) const;

    // Computes `pieces`, which are indices, on `threads` threads of every rank. Rank 0 calls `finished` for each result
    // as it comes in, on one thread. Rank 0 throws the first failure of any rank, and Stopped if `stop` is set.
    void share(const std::vector<std::size_t>& pieces, std::size_t threads, const std::atomic<bool>& stop,
               const std::function<std::string(std::size_t)>& compute,
               const std::function<void(std::size_t, const std::string&)>& finished);

    // On rank 0: share has begun and has not returned normally, so the other ranks may be computing.
    bool sharing() const { return stage_ == Stage::sharing; }
    // On rank 0: if share never began here, lets the other ranks, which are waiting for work, finish.
    void dismiss();

    // Ends all ranks at once.
    [[noreturn]] void abort(ExitCode code) const;

private:
    enum class Stage : std::uint8_t { waiting, sharing, over };
    Stage stage_ = Stage::waiting;
};

// The ranks as those that share each packet replay. One thread of a process uses it. Precondition: a Ranks lives.
class ReplayPeers final : public Peers {
public:
    ReplayPeers();
    ~ReplayPeers() override;

    std::uint32_t rank() const override;
    std::uint32_t count() const override;
    std::vector<Message> exchange(std::vector<Message> to_each) override;
    void note(const std::string& text) override;
    const std::vector<std::string>& notes() const { return notes_; }

    // Called by each rank once, when it shares no more replays, with its exit code and its error; that is empty if it
    // only heard of another's. Returns when all have called it.
    void end(ExitCode code, const std::string& error);
    // After end(): the first failure that another rank has told of.
    const std::optional<PeerFailed>& failure() const { return failure_; }

private:
    struct Sending;
    void send(Message message, std::uint32_t to, int tag);
    std::optional<Message> receive(std::uint32_t from);  // nothing: it has ended

    std::vector<std::string> notes_;
    std::vector<bool> ended_;  // per rank
    std::optional<PeerFailed> failure_;
    std::shared_ptr<Sending> sending_;
};

}  // namespace fabricast::cli
