#pragma once
// The door through which every file of a site comes in: unpacked, without byte order mark, carriage returns and colour
// codes, as one text and as its lines. What programs and mail do to a file is undone here, and nowhere else.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_error.hpp"
#include "base/numbers.hpp"
#include "base/pattern.hpp"

namespace fabricast::inline discovery {

struct TextLine {
    std::string_view text;  // without the blanks at its end
    int number = 1;

    // The words between blanks: tabs may have become spaces on the way, so no reader counts them.
    std::vector<std::string_view> words() const;
};

// Owns the text that its lines point into, so it cannot be copied or moved.
class SourceText {
public:
    // Throws InputError at the first byte that is not text.
    SourceText(std::string text, const std::string& file);
    SourceText(const SourceText&) = delete;
    SourceText& operator=(const SourceText&) = delete;

    const std::string& text() const { return text_; }
    const std::vector<TextLine>& lines() const { return lines_; }
    const std::string& file() const { return *file_; }
    SourceLocation at(int line) const { return {file_, line, 1}; }
    SourceLocation at(const TextLine& line) const { return at(line.number); }

    bool holds(std::string_view part) const { return text_.find(part) != std::string::npos; }
    bool begins_with(char c) const;            // after blanks
    bool is_xml(std::string_view root) const;  // whether its first element is called so

private:
    std::string text_;
    std::shared_ptr<const std::string> file_;
    std::vector<TextLine> lines_;
};

// A pattern's first match in a line and its groups; a group that takes no part is "".
class Match {
public:
    Match(const Pattern& pattern, std::string_view line) {
        for (const auto& group : pattern.first_in(line).value_or(Pattern::Groups{})) {
            groups_.emplace_back(group.value_or(""));
        }
    }
    explicit operator bool() const { return !groups_.empty(); }
    const std::string& operator[](std::size_t group) const { return groups_[group]; }
    int whole(std::size_t group, int otherwise) const { return number_in<int>(groups_[group]).value_or(otherwise); }

private:
    std::vector<std::string> groups_;
};

// A reader's struct of patterns, compiled once.
template <class Patterns> const Patterns& compiled() {
    static const Patterns patterns;
    return patterns;
}

// RFC 4180, a line at a time: each separator outside quotes starts a cell.
std::vector<std::string> csv_cells(std::string_view line, std::string_view separators);

// Unpacks gzip. Throws InputError, also for an archive of several files.
std::unique_ptr<const SourceText> read_source(const std::filesystem::path& path);

// Throws InputError there, with the message of error_message().
[[noreturn]] void refuse(const SourceLocation& place, std::string_view what, std::string_view found = {},
                         std::string_view accepted = {});

}  // namespace fabricast::inline discovery
