#pragma once
// The ranks of a job that mpirun started: the one door to MPI. Rank 0 hands out pieces of work and works too; the
// others ask for more. Nobody spins: with one thread a rank, two ranks are two busy cores.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fabricast::cli {

// Several processes were started, and this build cannot join them (exit code 4).
struct MissingMpi : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Ranks {
public:
    // Throws MissingMpi in a build without MPI. At most one lives in a process.
    Ranks();
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    bool first() const;
    std::string words() const;  // "4 ranks"

    // Every rank says what it read (the same text everywhere) or, in `error`, why it could not. Returns on all ranks
    // whether all agree; on rank 0 `error` then holds the first error of another rank.
    bool agree(const std::string& read, std::string& error) const;

    // Work on pieces named by their index. `compute` runs on `threads` threads of every rank; rank 0 sees each result
    // at once in `finished`, on one thread, and stops handing out when `stop` is set. Rank 0 throws what failed first,
    // wherever it did; Stopped when it was stopped.
    void share(const std::vector<std::size_t>& pieces, std::size_t threads, const std::atomic<bool>& stop,
               const std::function<std::string(std::size_t)>& compute,
               const std::function<void(std::size_t, const std::string&)>& finished);

    // On rank 0, between the beginning of share and its end: the others are at work.
    bool sharing() const { return stage_ == Stage::sharing; }
    // On rank 0: ranks that wait for work, because share never began here, are let go.
    void dismiss();

    // Ends all ranks at once.
    [[noreturn]] void abort(int code) const;

private:
    enum class Stage : std::uint8_t { waiting, sharing, over };
    Stage stage_ = Stage::waiting;
};

}  // namespace fabricast::cli
