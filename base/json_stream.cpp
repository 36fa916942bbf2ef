#include "base/json_stream.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <istream>
#include <streambuf>
#include <utility>

namespace fabricast::inline base {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16U;
constexpr std::size_t most_values = 1'000'000;  // in one piece
constexpr std::size_t most_levels = 64;
constexpr std::size_t most_text = std::size_t{16} << 20U;  // bytes: of a value with the blanks before it; of a piece

// Reads the file block by block, counts lines, and replaces literals that JSON does not have. Replacements have the
// same length, so byte positions stay correct.
class JsonText : public std::streambuf {
public:
    JsonText(InputFile& file, const std::function<void(double)>& progress) : file_(file), progress_(progress) {}

    // Location of the last byte that was consumed.
    SourceLocation place() const {
        const auto [line, column] = position_at(gptr());
        const auto limited = [](std::uint64_t number) {
            return static_cast<int>(std::clamp<std::uint64_t>(number, 1, 2'000'000'000));
        };
        return {std::make_shared<const std::string>(file_.path().string()), limited(line), limited(column)};
    }

protected:
    int_type underflow() override {
        block_start_ = position_at(egptr());
        carry();
        while (!ended_ && ready_ == 0) { fill(); }
        // The parser keeps a value's text, and the blanks before it, in memory until the value ends.
        since_value_ = between_ == npos ? since_value_ + ready_ : ready_ - between_;
        if (since_value_ > most_text) {
            setg(block_.data(), block_.data(), block_.data());
            throw InputError(place(), error_message("one value or a gap between two is too long",
                                                    fmt::format("more than {} bytes", most_text),
                                                    fmt::format("at most {}", most_text)));
        }
        if (progress_ && (++blocks_ % 64) == 0) { progress_(file_.share()); }
        setg(block_.data(), block_.data(), block_.data() + ready_);
        return ready_ == 0 ? traits_type::eof() : traits_type::to_int_type(block_[0]);
    }

private:
    struct Position {
        std::uint64_t line = 1, column = 0;
    };

    // The position after what was handed out up to `end`.
    Position position_at(const char* end) const {
        const std::string_view text(eback(), static_cast<std::size_t>(end - eback()));
        const std::size_t last_break = text.rfind('\n');
        return {block_start_.line + static_cast<std::uint64_t>(std::ranges::count(text, '\n')),
                last_break == npos ? block_start_.column + text.size() : text.size() - last_break - 1};
    }

    // Moves what was read but not handed out yet to the front of the block.
    void carry() {
        std::memmove(block_.data(), block_.data() + ready_, filled_ - ready_);
        filled_ -= ready_;
        scanned_ -= ready_;
        ready_ = 0;
    }

    void fill() {
        const std::size_t got = file_.read(block_.data() + filled_, block_.size() - filled_);
        ended_ = got == 0;
        filled_ += got;
        ready_ = scan();
    }

    // Replaces literals from where the last call stopped; returns the number of bytes of the block to hand out.
    std::size_t scan() {
        between_ = npos;
        for (; scanned_ < filled_; ++scanned_) {
            const char c = block_[scanned_];
            if (in_string_) {
                in_string_ = escaped_ || c != '"';
                escaped_ = !escaped_ && c == '\\';
            } else if (c == '"') {
                in_string_ = true;
            } else if (c == ',' || c == ':') {
                between_ = scanned_;
            } else if (c == 'N' || c == 'I' || c == '-') {
                if (!ended_ && filled_ - scanned_ < longest_literal) {
                    return scanned_;  // the rest of the word is in the next block
                }
                replace();
            }
        }
        return scanned_;
    }

    void replace() {
        struct Literal {
            std::string_view from, to;
        };
        static constexpr std::array<Literal, 3> literals = {
            {{"NaN", "\"\" "}, {"Infinity", "null    "}, {"-Infinity", "null     "}}};
        const std::string_view rest(block_.data() + scanned_, filled_ - scanned_);
        for (const Literal& literal : literals) {
            if (rest.starts_with(literal.from)) {
                std::memcpy(block_.data() + scanned_, literal.to.data(), literal.to.size());
                scanned_ += literal.to.size() - 1;
                return;
            }
        }
    }

    static constexpr std::size_t longest_literal = 9;
    static constexpr std::size_t npos = std::string_view::npos;

    InputFile& file_;
    const std::function<void(double)>& progress_;
    std::array<char, block_bytes> block_{};
    std::size_t filled_ = 0, scanned_ = 0, ready_ = 0;
    std::size_t between_ = npos;   // in the block: the last comma or colon between values
    std::size_t since_value_ = 0;  // bytes from that comma or colon to the end of the block
    Position block_start_;
    std::uint64_t blocks_ = 0;
    bool in_string_ = false, escaped_ = false, ended_ = false;
};

// Builds the selected pieces and skips everything else.
class Pieces final : public nlohmann::json_sax<Json> {
public:
    Pieces(const JsonText& text, const JsonSelection& selection, const std::function<void(const JsonPiece&)>& take)
        : text_(text), selection_(selection), take_(take), place_([this] { return text_.place(); }) {}

    bool null() override { return value(nullptr); }
    bool boolean(bool v) override { return value(v); }
    bool number_integer(number_integer_t v) override { return value(v); }
    bool number_unsigned(number_unsigned_t v) override { return value(v); }
    bool number_float(number_float_t v, const string_t&) override { return value(v); }
    bool string(string_t& v) override {
        count_text(v.size());
        return value(std::move(v));
    }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        if (!building_.empty()) {
            count_text(name.size());
            member_place_ = &(*building_.back())[name];
        } else if (depth_ == 1) {
            member_ = std::move(name);
        }
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        // "[json.exception.parse_error.101] parse error at line 1, column 5: what": fail() adds our location instead.
        const std::string_view what = error.what();
        const std::size_t colon = what.find(": ");
        fail("not JSON: " + std::string(colon == std::string_view::npos ? what : what.substr(colon + 2)));
    }

private:
    [[noreturn]] void fail(const std::string& message) const { throw InputError(text_.place(), message); }

    void count_text(std::size_t size) {
        text_bytes_ = building_.empty() ? 0 : text_bytes_ + size;
        if (text_bytes_ > most_text) {
            fail(fmt::format("one entry of '{}' holds more than {} bytes of text", member_, most_text));
        }
    }

    bool wanted(const std::vector<std::string>& names) const {
        return std::ranges::find(names, member_) != names.end();
    }
    // Whether the next value starts a piece.
    bool starts_piece() const {
        return list_depth_ != 0 ? depth_ == list_depth_ : depth_ == 1 && wanted(selection_.members);
    }

    template <class Value> bool value(Value&& v) {
        if (!building_.empty()) {
            add(Json(std::forward<Value>(v)));
        } else if (starts_piece()) {
            piece_ = Json(std::forward<Value>(v));
            give();
        }
        return true;
    }

    Json* add(Json v) {
        if (++values_ > most_values) {
            fail(fmt::format("one entry of '{}' holds more than {} values", member_, most_values));
        }
        if (Json& parent = *building_.back(); parent.is_array()) {
            parent.push_back(std::move(v));
            return &parent.back();
        }
        *member_place_ = std::move(v);
        return member_place_;
    }

    bool open(Json empty) {
        if (depth_ >= most_levels) { fail("nested deeper than " + std::to_string(most_levels) + " levels"); }
        if (!building_.empty()) {
            building_.push_back(add(std::move(empty)));
        } else if (depth_ == 0) {
            list_depth_ = empty.is_array() && !selection_.lists.empty() ? 1 : 0;
            member_ = list_depth_ != 0 ? selection_.lists.front() : "";
        } else if (depth_ == 1 && list_depth_ == 0 && empty.is_array() && wanted(selection_.lists)) {
            list_depth_ = 2;
            index_ = 0;
        } else if (starts_piece()) {
            piece_ = std::move(empty);
            values_ = 1;
            text_bytes_ = 0;
            building_.push_back(&piece_);
        }
        ++depth_;
        return true;
    }

    bool close() {
        --depth_;
        if (!building_.empty()) {
            building_.pop_back();
            if (building_.empty()) { give(); }
        } else if (list_depth_ == 2 && depth_ == 1) {
            list_depth_ = 0;
        }
        return true;
    }

    void give() {
        take_({member_, list_depth_ != 0 ? index_++ : 0, piece_, place_});
        piece_ = nullptr;
    }

    const JsonText& text_;
    const JsonSelection& selection_;
    const std::function<void(const JsonPiece&)>& take_;
    std::function<SourceLocation()> place_;
    std::string member_;
    std::size_t depth_ = 0;
    std::size_t list_depth_ = 0;  // nesting depth inside the list that is being read; 0: none
    std::size_t index_ = 0, values_ = 0, text_bytes_ = 0;
    Json piece_;
    std::vector<Json*> building_;   // the open lists and maps of the piece, each in the one before it
    Json* member_place_ = nullptr;  // where the value of the key goes that was read last
};

}  // namespace

void stream_json(InputFile& file, const JsonSelection& selection, const std::function<void(const JsonPiece&)>& take,
                 const std::function<void(double)>& progress) {
    JsonText text(file, progress);
    std::istream stream(&text);
    stream.exceptions(std::ios::badbit);  // exceptions from reading the file propagate
    Pieces pieces(text, selection, take);
    Json::sax_parse(stream, &pieces);
}

}  // namespace fabricast::inline base
