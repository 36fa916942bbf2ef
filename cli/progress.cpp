#include "cli/progress.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace fabricast::cli {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double quiet_start_s = 0.5;  // a run shorter than this shows no progress
constexpr double redraw_s = 0.2;

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

std::size_t terminal_width(int descriptor) {
    winsize size{};
    const bool known = ::isatty(descriptor) == 1 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0;
    return known ? size.ws_col : 0;
}

bool coloured(const std::string& when, int descriptor) {
    if (!when.empty()) { index_among({"auto", "always", "never"}, when, "--color"); }
    if (when == "always" || when == "never") { return when == "always"; }
    // no-color.org: any value but the empty one.
    const char* none = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    return (none == nullptr || *none == '\0') && kind != nullptr && std::string_view(kind) != "dumb" &&
           ::isatty(descriptor) == 1;
}

void end_with_reader() {
    std::signal(SIGPIPE, [](int) { ::_exit(0); });
}

void outlive_reader() { std::signal(SIGPIPE, SIG_IGN); }

bool reader_gone() {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

PlainText::~PlainText() {
    stream_.flush();
    stream_.rdbuf(to_);
}

bool PlainText::send(std::string_view bytes) {
    return to_->sputn(bytes.data(), static_cast<std::streamsize>(bytes.size())) ==
           static_cast<std::streamsize>(bytes.size());
}

// Opens the style of a line that starts with `first`, or closes it before the line's break.
bool PlainText::style_line(char first) {
    if (first == '\n') {
        line_start_ = true;
        return !std::exchange(styled_, false) || send("\033[0m");
    }
    if (!std::exchange(line_start_, false)) { return true; }
    styled_ = colours_ && (error_ || first == '#');
    return !styled_ || send(error_ ? "\033[31m" : "\033[2m");
}

PlainText::int_type PlainText::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof())) { return traits_type::not_eof(c); }
    const auto byte = static_cast<unsigned char>(c);
    const bool c1 = after_c2_ && byte >= 0x80 && byte < 0xA0;
    const bool held = after_c2_;
    after_c2_ = byte == 0xC2 && !held;
    if (after_c2_) {
        return c;  // held back until the next byte shows which character it starts
    }
    if (!style_line(static_cast<char>(byte)) || (held && !c1 && !send("\xC2"))) { return traits_type::eof(); }
    if (!c1 && ((byte >= 0x20 && byte != 0x7F) || byte == '\n' || byte == '\t')) {
        return to_->sputc(static_cast<char>(byte));
    }
    std::array<char, 8> shown{};
    const int length = std::snprintf(shown.data(), shown.size(), "\\x%02x", static_cast<unsigned>(byte));
    return send({shown.data(), static_cast<std::size_t>(length)}) ? c : traits_type::eof();
}

}  // namespace fabricast::cli
