#pragma once
// What goes to the terminal holds names that others wrote: their control characters are shown, not obeyed.

#include <ostream>
#include <streambuf>

namespace fabricast::cli {

// As long as it lives, what `stream` prints shows every control character but line breaks and tabs as \xNN.
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
    bool after_c2_ = false;  // the first byte of U+0080 to U+00BF in UTF-8, of which U+0080 to U+009F control terminals
};

}  // namespace fabricast::cli
