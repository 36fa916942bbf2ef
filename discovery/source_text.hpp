#pragma once
// The door through which every file of a site comes in: unpacked, without byte order mark, carriage returns and colour
// codes, as one text and as its lines. What programs and mail do to a file is undone here, and nowhere else.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "base/text_lines.hpp"

namespace fabricast::inline discovery {

class SourceText : public TextLines {
public:
    // The lines are without the blanks at their ends. Throws InputError at the first byte that is not text.
    SourceText(std::string text, const std::string& file);

    bool holds(std::string_view part) const { return base::holds(text(), part); }
    // What its name says before the first dot: some tools do not say whose output it is.
    std::string stem() const {
        const std::string name = std::filesystem::path(file()).filename().string();
        return name.substr(0, name.find('.'));
    }
    bool begins_with(char c) const;            // after blanks
    bool is_xml(std::string_view root) const;  // whether its first element is called so
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

}  // namespace fabricast::inline discovery
