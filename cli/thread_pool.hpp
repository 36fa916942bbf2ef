#pragma once
// Threads that compute pieces of work: a queue of pieces in, a queue of results out.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fabricast::cli {

inline constexpr std::size_t most_pieces_at_once = 16;

struct Done {
    std::size_t piece = 0;
    std::string result;
};

class ThreadPool {
public:
    ThreadPool(std::size_t threads, const std::function<std::string(std::size_t)>& compute);
    // Drops pieces that have not begun.
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    void give(std::size_t piece);
    // How many pieces to add so that no thread runs out of work.
    std::size_t wants() const;
    bool idle() const;
    // Rethrows the exception of a piece that failed.
    std::vector<Done> take_done();

private:
    using Clock = std::chrono::steady_clock;

    // Pieces to queue per thread, in addition to the one that it computes.
    std::size_t spares() const;
    void work();

    const std::function<std::string(std::size_t)>& compute_;
    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::deque<std::size_t> waiting_;
    std::vector<Done> done_;
    std::size_t busy_ = 0;
    std::int64_t finished_ = 0;
    Clock::duration spent_{};  // total time of finished pieces
    bool closed_ = false;
    std::exception_ptr failure_;
    std::vector<std::jthread> threads_;  // last member: joined before the others are destroyed
};

}  // namespace fabricast::cli
