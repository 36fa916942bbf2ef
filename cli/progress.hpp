#pragma once
// One line on the terminal that says how far a run is and when it will be done; nothing where stderr is no terminal.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace fabricast::cli {

class Progress {
public:
    // `pieces` of work; silent unless `shown` and stderr is a terminal.
    Progress(std::size_t pieces, bool shown);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Called from any thread: the piece in work is done to this share.
    void piece_at(double share);
    // One piece is done.
    void piece_done();
    // Takes the line away, before something is printed.
    void clear();

private:
    void draw(double share);

    std::size_t pieces_;
    bool shown_;
    bool drawn_ = false;
    std::size_t done_ = 0;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_drawn_;
    std::mutex mutex_;
};

}  // namespace fabricast::cli
