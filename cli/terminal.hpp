#pragma once
// Terminal output contains names from input files; control characters in them are shown, not executed.

#include <ostream>
#include <streambuf>

namespace fabricast::cli {

// While it exists, `stream` prints every control character except line breaks and tabs as \xNN.
class PlainText : public std::streambuf {
public:
    explicit PlainText(std::ostream& stream) : stream_(stream), to_(stream.rdbuf(this)) {}
    ~PlainText() override {
        stream_.flush();
        stream_.rdbuf(to_);
    }
    PlainText(const PlainText&) = delete;
    PlainText& operator=(const PlainText&) = delete;

protected:
    int_type overflow(int_type c) override;
    int sync() override { return to_->pubsync(); }

private:
    std::ostream& stream_;
    std::streambuf* to_;
    // The last byte was 0xC2, which starts U+0080 to U+00BF in UTF-8; U+0080 to U+009F control terminals.
    bool after_c2_ = false;
};

}  // namespace fabricast::cli
