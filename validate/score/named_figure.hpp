#pragma once
// A printed figure: "nccl_mid_median_pct", 6.3, "%".

#include <string>

namespace fabricast::inline score {

struct NamedFigure {
    std::string name;
    double value = 0;
    std::string unit = "%";
};

// "figure: nccl_mid_median_pct 6.30 %", with two decimals.
std::string figure_line(const NamedFigure& figure);
// The same with four significant digits.
std::string short_figure_line(const NamedFigure& figure);

}  // namespace fabricast::inline score
