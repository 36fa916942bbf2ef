#pragma once
// A benchmark log as lines, or as a tree of JSON, that know their position in the file. All importers read from it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"

namespace fabricast::inline validate_import {

inline bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A word of a line, delimited by blanks.
struct LogField {
    std::string_view text;
    int column = 1;
};

// One line without its line break, carriage return and mpirun prefix "[1,0]<stdout>:".
struct LogLine {
    std::string_view text;
    int number = 1;
    int column = 1;     // column of the file's line at which `text` begins
    bool ended = true;  // a line break follows; false only on a last line that may have been cut off

    bool starts_with(std::string_view prefix) const { return text.starts_with(prefix); }
    bool contains(std::string_view part) const { return holds(text, part); }
    std::vector<LogField> fields() const;
    bool begins_with_count() const;  // as the rows of most tables do
    // The text after `key` and a colon, without surrounding blanks: "Mtu  : 4096[B]" -> "4096[B]". It ends at two
    // blanks or a tab.
    std::optional<std::string_view> value_of(std::string_view key) const;
};

// Owns the text that its lines point into, so it cannot be copied or moved.
class LogText {
public:
    // Throws InputError if the bytes are not text.
    LogText(std::string text, const std::string& file);
    LogText(const LogText&) = delete;
    LogText& operator=(const LogText&) = delete;

    const std::vector<LogLine>& lines() const { return lines_; }
    const std::string& text() const { return text_; }
    const std::string& file() const { return *file_; }

    SourceLocation at(const LogLine& line) const { return {file_, line.number, line.column}; }
    SourceLocation at(const LogLine& line, const LogField& field) const { return {file_, line.number, field.column}; }
    SourceLocation end() const;  // just after the last byte: where the missing part of a truncated log is reported
    SourceLocation start() const { return {file_, 1, 1}; }

private:
    std::string text_;
    std::shared_ptr<const std::string> file_;
    std::vector<LogLine> lines_;
};

bool is_json(std::string_view text);  // whether it begins as JSON does

// Throws InputError at the first byte that is not JSON, also if the text ends too early.
yaml::Node json_tree(const LogText& log);

// Throws InputError there, with the message of error_message().
[[noreturn]] void refuse(const SourceLocation& place, std::string_view what, std::string_view found = {},
                         std::string_view accepted = {}, std::string_view nearest = {});

// A field as a number >= 0. Throws InputError at the field.
double figure_in(const LogText& log, const LogLine& line, const LogField& field);
std::int64_t count_in(const LogText& log, const LogLine& line, const LogField& field);
bool is_count(std::string_view text);
bool is_figure(std::string_view text);

// Half a unit of the last printed digit: "0.04" -> 0.005, "1.2e+05" -> 5000.
double rounding_of(std::string_view printed);

// Throws InputError if the line may have been truncated by the end of the file.
void refuse_cut_line(const LogText& log, const LogLine& line);

// Throws InputError if a printed number differs from the one expected from the rest of its row by more than rounding
// explains (its own, and `slack`).
void check_printed(const LogText& log, const LogLine& line, const LogField& printed, double expected, double slack,
                   std::string_view what);

}  // namespace fabricast::inline validate_import
