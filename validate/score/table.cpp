#include "validate/score/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fabricast::inline score {

std::string markdown_row(const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown_head(const std::vector<std::string>& titles) {
    std::string rule = "|";
    for (std::size_t i = 0; i < titles.size(); ++i) { rule += "---|"; }
    return markdown_row(titles) + rule + "\n";
}

std::string percent_cell(double share) { return fmt::format("{:.1f}", 100 * share); }

}  // namespace fabricast::inline score
