#pragma once
// A benchmark log as lines, or as a tree of JSON, that know their position in the file. All importers read from it.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text_lines.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline validate_import {

class LogText : public TextLines {
public:
    // The lines are without carriage returns, mpirun's prefix "[1,0]<stdout>:", and what stands before each of a tool's
    // own lines: srun's "0: ", a quotation's "> ", a time, an indentation. Throws InputError if it is no text.
    LogText(std::string text, const std::string& file);

    // Throws InputError if something that is not the same before all still stands before a line of the tool itself.
    void refuse_prefix() const;

private:
    void strip_common_prefix();
};

bool is_json(std::string_view text);  // whether it begins as JSON does

// Throws InputError at the first byte that is not JSON, also if the text ends too early.
yaml::Node json_tree(const LogText& log);

// A field as a number >= 0. Throws InputError at the field.
double figure_in(const LogText& log, const TextLine& line, const TextWord& field);
std::int64_t count_in(const LogText& log, const TextLine& line, const TextWord& field);

// Half a unit of the last printed digit: "0.04" -> 0.005, "1.2e+05" -> 5000.
double rounding_of(std::string_view printed);

// Throws InputError if the line may have been truncated by the end of the file.
void refuse_cut_line(const LogText& log, const TextLine& line);

// Throws InputError if a printed number differs from the one expected of its row by more than its rounding and `slack`.
void check_printed(const LogText& log, const TextLine& line, const TextWord& printed, double expected, double slack,
                   std::string_view what);

}  // namespace fabricast::inline validate_import
