#pragma once
// What a stream prints for people. Terminal output contains names from input files; control characters in them are
// shown, not executed.

#include <ostream>
#include <streambuf>
#include <string_view>

namespace fabricast::cli {

// While it exists, `stream` prints every control character except line breaks and tabs as \xNN; if asked to, comments
// (lines that start with #) are dimmed and errors are red.
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
