#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace fabricast::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double quiet_start_s = 0.5;  // a run shorter than this shows no progress
constexpr double redraw_s = 0.2;

}  // namespace

Progress::Progress(std::size_t pieces, bool shown)
    : pieces_(std::max<std::size_t>(pieces, 1)),
      shown_(shown && ::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_drawn_(start_) {}

Progress::~Progress() { clear(); }

void Progress::piece_at(double share) {
    const std::lock_guard lock(mutex_);
    draw(share);
}

Watch Progress::watch() {
    return {&stop_flag(), [this](double share) { piece_at(share); }};
}

void Progress::piece_done() {
    const std::lock_guard lock(mutex_);
    ++done_;
    draw(0);
}

void Progress::clear() {
    const std::lock_guard lock(mutex_);
    if (drawn_) {
        std::fputs("\r\033[K", stderr);
        drawn_ = false;
    }
}

void Progress::draw(double share) {
    const auto now = Clock::now();
    const double elapsed = Seconds(now - start_).count();
    if (!shown_ || elapsed < quiet_start_s || (drawn_ && Seconds(now - last_drawn_).count() < redraw_s)) { return; }
    const double done = std::min((static_cast<double>(done_) + share) / static_cast<double>(pieces_), 1.0);
    if (done > 0) {
        std::fprintf(stderr, "\r\033[K%zu of %zu, %.0f %%, %.0f s to go", done_, pieces_, done * 100,
                     elapsed * (1 - done) / done);
    }
    last_drawn_ = now;
    drawn_ = true;
}

}  // namespace fabricast::cli
