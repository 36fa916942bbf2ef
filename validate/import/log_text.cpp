#include "validate/import/log_text.hpp"

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"

namespace fabricast::inline validate_import {
namespace {

constexpr std::string_view blanks = " \t";

// Length of the prefix with which Open MPI tags the lines of its ranks (`mpirun --tag-output`): "[1,0]<stdout>:# size"
// -> 14.
std::size_t tag_length(std::string_view line) {
    constexpr std::string_view mark = "<stdout>:";
    const std::size_t found = line.starts_with("[") ? line.find(mark) : std::string_view::npos;
    return found > 24 ? 0 : found + mark.size();
}

}  // namespace

std::vector<LogField> LogLine::fields() const {
    std::vector<LogField> found;
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;
         at = text.find_first_not_of(blanks, at)) {
        const std::size_t stop = std::min(text.find_first_of(blanks, at), text.size());
        found.push_back({text.substr(at, stop - at), column + static_cast<int>(at)});
        at = stop;
    }
    return found;
}

bool LogLine::begins_with_count() const {
    const std::string_view rest = trimmed(text, blanks);
    return is_count(rest.substr(0, rest.find_first_of(blanks)));
}

std::optional<std::string_view> LogLine::value_of(std::string_view key) const {
    const std::size_t found = text.find(key);
    if (found == std::string_view::npos) { return std::nullopt; }
    std::string_view rest = text.substr(found + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (!rest.starts_with(":")) { return std::nullopt; }
    rest = trimmed(rest.substr(1), blanks);
    return trimmed(rest.substr(0, std::min(rest.find("  "), rest.find('\t'))), blanks);
}

LogText::LogText(std::string text, const std::string& file)
    : text_(std::move(text)), file_(std::make_shared<const std::string>(file)) {
    int number = 1;
    const std::size_t bad = first_non_text(text_);
    std::string_view rest = text_;
    while (!rest.empty()) {
        const std::size_t stop = rest.find('\n');
        const std::string_view whole = rest.substr(0, stop);
        const auto offset = static_cast<std::size_t>(whole.data() - text_.data());
        if (bad != std::string::npos && bad >= offset && bad <= offset + whole.size()) {
            throw InputError({file_, number, static_cast<int>(bad - offset) + 1}, "not a text file");
        }
        rest.remove_prefix(stop == std::string_view::npos ? rest.size() : stop + 1);
        const std::size_t tag = tag_length(whole);
        std::string_view line = whole.substr(tag);
        line.remove_suffix(line.ends_with('\r') ? 1 : 0);
        lines_.push_back({line, number, static_cast<int>(tag) + 1, stop != std::string_view::npos});
        ++number;
    }
}

SourceLocation LogText::end() const {
    if (lines_.empty()) { return start(); }
    const LogLine& last = lines_.back();
    return last.ended ? SourceLocation{file_, last.number + 1, 1}
                      : SourceLocation{file_, last.number, last.column + static_cast<int>(last.text.size())};
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

void refuse(const SourceLocation& place, std::string_view what, std::string_view found, std::string_view accepted,
            std::string_view nearest) {
    throw InputError(place, error_message(what, found, accepted, nearest));
}

bool is_count(std::string_view text) {
    return !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_figure(std::string_view text) { return figure_in_word(text).value_or(-1) >= 0; }

double figure_in(const LogText& log, const LogLine& line, const LogField& field) {
    const auto value = figure_in_word(field.text);
    if (!value || *value < 0) {
        refuse(log.at(line, field), "a column that is no figure", shown(field.text), "a number >= 0");
    }
    return *value;
}

std::int64_t count_in(const LogText& log, const LogLine& line, const LogField& field) {
    const auto value = count_in_word(field.text);
    if (!value || *value < 0) {
        refuse(log.at(line, field), "a column that is no count", shown(field.text), "a whole number");
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

void refuse_cut_line(const LogText& log, const LogLine& line) {
    if (!line.ended) {
        refuse(log.end(), "the file ends within a table's row", shown(line.text), "a line break behind every row");
    }
}

void check_printed(const LogText& log, const LogLine& line, const LogField& printed, double expected, double slack,
                   std::string_view what) {
    const double value = figure_in(log, line, printed);
    // The tool's own arithmetic may round the last digit either way, so the tolerance is one unit of it instead of
    // half.
    const double allowed = 2 * rounding_of(printed.text) + slack + 1e-6 * expected;
    if (std::abs(value - expected) > allowed) {
        refuse(log.at(line, printed), std::string(what) + " does not follow from its row", shown(printed.text),
               "about " + std::to_string(expected));
    }
}

}  // namespace fabricast::inline validate_import
