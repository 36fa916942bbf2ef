#pragma once
// One line on the terminal: how far a run is and when it will be done; prints nothing if stderr is not a terminal.

#include <chrono>
#include <cstddef>
#include <mutex>

#include "cli/options.hpp"
#include "sim/engines/common/watch.hpp"

namespace fabricast::cli {

class Progress {
public:
    // `pieces` is the number of pieces of work. Silent unless `shown` is set and stderr is a terminal.
    Progress(std::size_t pieces, bool shown);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // The share of the current piece that is done, 0..1. May be called from any thread.
    void piece_at(double share);
    // Stops on Ctrl-C, and reports the share of the current piece here; valid as long as this is.
    Watch watch();
    // One more piece is done. May be called from any thread.
    void piece_done();
    // Erases the line, before something else is printed.
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

// What `work` returns, which is one piece and reports its share through the watch that it gets.
template <class Work> auto watched(const po::variables_map& values, const Work& work) {
    Progress progress(1, wants_progress(values));
    return work(progress.watch());
}

}  // namespace fabricast::cli
