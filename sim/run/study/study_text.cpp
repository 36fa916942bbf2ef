#include "sim/run/study/study_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "models/evidence.hpp"
#include "sim/run/study/study_columns.hpp"

namespace fabricast {

namespace {

constexpr std::size_t name_width = 22;

std::string percent(const Range& range) {
    return fmt::format("{:+.1f} % (80 %: {:+.1f} to {:+.1f} %)", 100 * range.value, 100 * range.low80,
                       100 * range.high80);
}

// The value, and the ends of its interval relative to it: "3.2 ms -12/+9 %".
std::string cell_text(const StudyColumn& column, const Json& cell) {
    const TextColumn style{"", 0, "", column.text.number_text, 0};
    if (!cell.is_object()) {
        return text_cell(style, cell);
    }
    const double value = cell.at("value").get<double>();
    const auto relative = [&](const char* end) { return 100 * (cell.at(end).get<double>() / value - 1); };
    return text_cell(style, value) +
           (value == 0 ? "" : fmt::format(" {:.0f}/{:+.0f} %", relative("low80") - 1e-9, relative("high80")));
}

std::string trimmed_line(const std::string& line) { return line.substr(0, line.find_last_not_of(' ') + 1) + "\n"; }

// A line for each property, a column for each design.
std::string designs_table(const std::vector<DesignResult>& designs) {
    std::vector<std::vector<std::string>> lines = {{"#"}};
    for (const DesignResult& design : designs) {
        lines.front().push_back(design.name);
    }
    for (const StudyColumn& column : study_columns()) {
        std::vector<std::string> line = {column.text.heading};
        bool any = false;
        for (const DesignResult& design : designs) {
            const Json cell = column.value(design);
            any |= !cell.is_null();
            line.push_back(cell_text(column, cell));
        }
        if (!column.text.heading.empty() && (any || !column.optional)) {
            lines.push_back(std::move(line));
        }
    }
    std::vector<std::size_t> widths(designs.size() + 1, 0);
    for (const std::vector<std::string>& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], line[i].size() + 3);
        }
    }
    widths.front() = name_width;
    std::string out;
    for (const std::vector<std::string>& line : lines) {
        std::string cells;
        for (std::size_t i = 0; i < line.size(); ++i) {
            cells += padded(line[i], widths[i]);
        }
        out += trimmed_line(cells);
    }
    return out;
}

}  // namespace

std::string study_table(const Study& study) {
    std::string out =
        fmt::format("# {}, best {} first\n", plural(study.designs.size(), "design"), to_string(study.order)) +
        designs_table(study.designs);
    for (const Difference& d : study.differences) {
        out += fmt::format("# {} against {}: time {}: {}; {:.0f} % of the time is spent alike\n", d.design, d.against,
                           percent(d.time), to_string(d.verdict), 100 * d.shared);
        if (d.priced) {
            out += fmt::format(
                "#   capital {}; {}{}\n", percent(d.capital),
                study.designs.front().usd_per_million_tokens ? "cost of a token " : "capital per bus bandwidth ",
                percent(d.value));
        }
    }
    std::vector<std::string> notes;
    for (const DesignResult& design : study.designs) {
        merge_notes(notes, design.notes);
    }
    for (const std::string& note : notes) {
        out += "# " + note + "\n";
    }
    return out;
}

}  // namespace fabricast
