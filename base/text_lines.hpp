#pragma once
// A text file as lines and words that know their place: what every reader of text formats begins with.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline base {

inline bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A word of a line, delimited by blanks and tabs.
struct TextWord {
    std::string_view text;
    int column = 1;
};

struct TextLine {
    std::string_view text;
    int number = 1;
    int column = 1;     // column of the file's line at which `text` begins
    bool ended = true;  // a line break follows; false only on a last line that may have been cut off

    bool starts_with(std::string_view prefix) const { return text.starts_with(prefix); }
    bool contains(std::string_view part) const { return holds(text, part); }
    std::vector<TextWord> words() const;
    bool begins_with_count() const;  // as the rows of most tables do
    // The text after `key` and a colon, trimmed: "Mtu : 4096[B]" -> "4096[B]". It ends at two blanks or a tab.
    std::optional<std::string_view> value_of(std::string_view key) const;
};

// Owns the text that its lines point into, so it cannot be copied or moved.
class TextLines {
public:
    // Leaves out UTF-8's byte order mark. Throws InputError at the first byte that is not text.
    TextLines(std::string text, const std::string& file);
    TextLines(const TextLines&) = delete;
    TextLines& operator=(const TextLines&) = delete;

    const std::vector<TextLine>& lines() const { return lines_; }
    const std::string& text() const { return text_; }
    const std::string& file() const { return *file_; }

    SourceLocation at(int line) const { return {file_, line, 1}; }
    SourceLocation at(const TextLine& line) const { return {file_, line.number, line.column}; }
    SourceLocation at(const TextLine& line, const TextWord& word) const { return {file_, line.number, word.column}; }
    SourceLocation start() const { return at(1); }
    SourceLocation end() const;  // just after the last byte: where the missing part of a truncated text is reported

protected:
    std::vector<TextLine> lines_;

private:
    std::string text_;
    std::shared_ptr<const std::string> file_;
};

// Whether a word is a whole number that fits 64 bits, a finite number >= 0.
bool is_count(std::string_view text);
bool is_figure(std::string_view text);

// Throws InputError there, with the message of error_message().
[[noreturn]] void refuse(const SourceLocation& place, std::string_view what, std::string_view found = {},
                         std::string_view accepted = {}, std::string_view nearest = {});

}  // namespace fabricast::inline base
