#pragma once
// A benchmark's log as lines that know their places: what every importer of text reads from.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_error.hpp"

namespace fabricast {

// A word of a line between blanks.
struct LogField {
    std::string_view text;
    int column = 1;
};

// One line without its break, without a carriage return and without mpirun's "[1,0]<stdout>:".
struct LogLine {
    std::string_view text;
    int number = 1;
    int column = 1;     // where `text` begins in the file's line
    bool ended = true;  // a line break follows; false only on a last line that may have been cut off

    bool starts_with(std::string_view prefix) const { return text.starts_with(prefix); }
    bool contains(std::string_view part) const { return text.find(part) != std::string_view::npos; }
    std::vector<LogField> fields() const;
    // What follows `key` and a colon, without blanks around it: "Mtu  : 4096[B]" -> "4096[B]". Ends at a run of blanks.
    std::optional<std::string_view> value_of(std::string_view key) const;
};

// Keeps the text that its lines point into; hence it does not move.
class LogText {
public:
    // Throws InputError where the bytes are no text.
    LogText(std::string text, const std::string& file);
    LogText(const LogText&) = delete;
    LogText& operator=(const LogText&) = delete;

    const std::vector<LogLine>& lines() const { return lines_; }
    const std::string& text() const { return text_; }
    const std::string& file() const { return *file_; }

    SourceLocation at(const LogLine& line, int column = 0) const {
        return {file_, line.number, column == 0 ? line.column : column};
    }
    SourceLocation at(const LogLine& line, const LogField& field) const { return {file_, line.number, field.column}; }
    SourceLocation end() const;  // just behind the last byte: where a log that was cut off lacks something
    SourceLocation start() const { return {file_, 1, 1}; }

private:
    std::string text_;
    std::shared_ptr<const std::string> file_;
    std::vector<LogLine> lines_;
};

// A field as a figure >= 0; throws InputError at it.
double figure_in(const LogText& log, const LogLine& line, const LogField& field);
std::int64_t count_in(const LogText& log, const LogLine& line, const LogField& field);
bool is_count(std::string_view text);
bool is_figure(std::string_view text);

// Half a unit of the last printed digit: "0.04" -> 0.005, "1.2e+05" -> 5000.
double rounding_of(std::string_view printed);

// Refuses a table's line that the file's end may have cut in two.
void refuse_cut_line(const LogText& log, const LogLine& line);

// Refuses a printed figure that the rest of its line contradicts, beyond what rounding explains.
void check_printed(const LogText& log, const LogLine& line, const LogField& printed, double expected, double slack,
                   std::string_view what);

}  // namespace fabricast
