#pragma once
// One line on the terminal: how far a run is and when it will be done; prints nothing if stderr is not a terminal.

#include <chrono>
#include <cstddef>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "cli/command.hpp"
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

// What the program must know about the terminal, pipe or file that it prints to, and how it prints there.

// Characters in a line of the terminal behind the descriptor; 0 if it is none.
std::size_t terminal_width(int descriptor);

// Whether to colour what goes there. `when` is the value of --color; empty: auto. Throws UsageError.
bool coloured(const std::string& when, int descriptor);

// Standard output is a pipe that nobody reads any more, as in `fabricast run ... | head -3`. Such a run ends at once
// and well (exit code 0), unless it has files to write: after outlive_reader() it goes on until they are written.
void end_with_reader();
void outlive_reader();
bool reader_gone();

// While it exists, `stream` prints every control character except line breaks and tabs as \xNN, for names from input
// files may contain them; if asked to, comments (lines that start with #) are dimmed and errors are red.
class PlainText : public std::streambuf {
public:
    explicit PlainText(std::ostream& stream) : stream_(stream), to_(stream.rdbuf(this)) {}
    ~PlainText() override;
    PlainText(const PlainText&) = delete;
    PlainText& operator=(const PlainText&) = delete;

    void colour(bool on) { colours_ = on; }
    // What follows is an error.
    void begin_error() { error_ = true; }

protected:
    int_type overflow(int_type c) override;
    int sync() override { return to_->pubsync(); }

private:
    bool send(std::string_view bytes);
    bool style_line(char first);

    std::ostream& stream_;
    std::streambuf* to_;
    // The last byte was 0xC2, which starts U+0080 to U+00BF in UTF-8; U+0080 to U+009F control terminals.
    bool after_c2_ = false;
    bool colours_ = false, error_ = false;
    bool line_start_ = true, styled_ = false;
};

}  // namespace fabricast::cli
