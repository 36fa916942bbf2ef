#pragma once
// What the program must know about the terminal, pipe or file that it prints to, and how it prints there.

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace fabricast::cli {

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
