#include "validate/import/log_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"

namespace fabricast::inline validate_import {
namespace {

// Length of the tag that Open MPI puts before the lines of ranks (`mpirun --tag-output`): "[1,0]<stdout>:# size" -> 14.
std::size_t tag_length(std::string_view line) {
    constexpr std::string_view mark = "<stdout>:";
    const std::size_t found = line.starts_with("[") ? line.find(mark) : std::string_view::npos;
    return found > 24 ? 0 : found + mark.size();
}

// Where a line that a benchmark begins its output, or its table, with starts within a line of the log; npos if nowhere.
std::size_t start_of_output(std::string_view line) {
    static const Pattern mark(
        R"(# nThread |# nccl-tests version|# Collective test starting|#\s+size\s+count|# Avg bus bandwidth|# OSU |nvbandwidth Version| #bytes +#iterations)",
        Pattern::Case::counts);
    const auto match = mark.first_in(line);
    return match ? static_cast<std::size_t>((*match)[0]->data() - line.data()) : std::string_view::npos;
}

// What stands before the lines: a text that is the same before all, and around the time where there is one.
struct LinePrefix {
    std::string before, behind;
    bool time = false;

    // How long it is on this line; 0 if the line does not begin so.
    std::size_t length_on(std::string_view line) const {
        std::string_view rest = line;
        if (!rest.starts_with(before)) { return 0; }
        rest.remove_prefix(before.size());
        if (time) {
            const auto stamp = time_in(rest);
            if (!stamp || stamp->data() != rest.data()) { return 0; }
            rest.remove_prefix(stamp->size());
        }
        if (!rest.starts_with(behind)) { return 0; }
        return line.size() - rest.size() + behind.size();
    }

    // As containers and journals print it: 2025-06-01T12:00:00.123456789Z.
    static std::optional<std::string_view> time_in(std::string_view line) {
        static const Pattern stamp(R"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)");
        const auto match = stamp.first_in(line);
        return match ? (*match)[0] : std::nullopt;
    }

    static LinePrefix of(std::string_view words) {
        const auto stamp = time_in(words);
        if (!stamp) { return {std::string(words), "", false}; }
        const auto at = static_cast<std::size_t>(stamp->data() - words.data());
        return {std::string(words.substr(0, at)), std::string(words.substr(at + stamp->size())), true};
    }
};

}  // namespace

// A log of which every line of the tool itself begins alike was printed through something else.
void LogText::strip_common_prefix() {
    std::optional<LinePrefix> prefix;
    for (const TextLine& line : lines_) {
        const std::size_t at = start_of_output(line.text);
        if (at == std::string_view::npos) { continue; }
        if (!prefix) { prefix = LinePrefix::of(line.text.substr(0, at)); }
        if (at == 0 || prefix->length_on(line.text) != at) { return; }
    }
    if (!prefix) { return; }
    for (TextLine& line : lines_) {
        const std::size_t length = prefix->length_on(line.text);
        line.text.remove_prefix(length);
        line.column += static_cast<int>(length);
    }
}

void LogText::refuse_prefix() const {
    for (const TextLine& line : lines_) {
        const std::size_t start = start_of_output(line.text);
        if (start != std::string_view::npos && start > 0) {
            refuse(at(line), "something stands before the benchmark's lines, and not the same before each",
                   shown(line.text.substr(0, start)), "the lines as the benchmark printed them");
        }
    }
}

LogText::LogText(std::string text, const std::string& file) : TextLines(std::move(text), file) {
    for (TextLine& line : lines_) {
        const std::size_t tag = tag_length(line.text);
        line.text.remove_prefix(tag);
        line.text.remove_suffix(line.text.ends_with('\r') ? 1 : 0);
        line.column += static_cast<int>(tag);
    }
    strip_common_prefix();
}

bool is_json(std::string_view text) { return trimmed(text, " \t\r\n").starts_with('{'); }

// The JSON reader checks the text. The YAML reader then parses it, because it keeps positions and JSON is a subset of
// YAML's flow style. One difference: between tokens JSON allows tabs, which may be an error in YAML. Replacing each tab
// by a blank keeps the columns.
yaml::Node json_tree(const LogText& log) {
    parse_json(log.text(), log.file());
    std::string text = log.text();
    std::ranges::replace(text, '\t', ' ');
    return yaml::parse(text, log.file());
}

double figure_in(const LogText& log, const TextLine& line, const TextWord& field) {
    const auto value = figure_in_word(field.text);
    if (!value || *value < 0) {
        refuse(log.at(line, field), "a column that is not a figure", shown(field.text), "a number >= 0");
    }
    return *value;
}

std::int64_t count_in(const LogText& log, const TextLine& line, const TextWord& field) {
    const auto value = count_in_word(field.text);
    if (!value || *value < 0) {
        refuse(log.at(line, field), "a column that is not a count", shown(field.text), "a whole number");
    }
    return *value;
}

double rounding_of(std::string_view printed) {
    const std::size_t exponent_at = printed.find_first_of("eE");
    const std::string_view mantissa = printed.substr(0, exponent_at);
    const std::size_t dot = mantissa.find('.');
    double unit = dot == std::string_view::npos ? 1 : std::pow(10.0, -static_cast<double>(mantissa.size() - dot - 1));
    if (exponent_at != std::string_view::npos) {
        std::string_view exponent = printed.substr(exponent_at + 1);
        exponent.remove_prefix(exponent.starts_with('+') ? 1 : 0);
        unit *= std::pow(10.0, figure_in_word(exponent).value_or(0));
    }
    return 0.5 * unit;
}

void refuse_cut_line(const LogText& log, const TextLine& line) {
    if (!line.ended) {
        refuse(log.end(), "the file ends within a table's row", shown(line.text), "a line break behind every row");
    }
}

void check_printed(const LogText& log, const TextLine& line, const TextWord& printed, double expected, double slack,
                   std::string_view what) {
    const double value = figure_in(log, line, printed);
    // The tool's own arithmetic may round the last digit either way, so the tolerance is a whole unit of it.
    const double allowed = 2 * rounding_of(printed.text) + slack + 1e-6 * expected;
    if (std::abs(value - expected) > allowed) {
        refuse(log.at(line, printed), std::string(what) + " does not follow from its row", shown(printed.text),
               "about " + std::to_string(expected));
    }
}

}  // namespace fabricast::inline validate_import
