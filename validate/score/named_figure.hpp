#pragma once
// A printed figure: "nccl_mid_median_pct", 6.3, "%".

#include <fmt/format.h>

#include <string>

namespace fabricast::inline score {

struct NamedFigure {
    std::string name;
    double value = 0;
    std::string unit = "%";
};

// "figure: nccl_mid_median_pct 6.30 %", with two decimals.
inline std::string figure_line(const NamedFigure& figure) {
    return fmt::format("figure: {} {:.2f} {}", figure.name, figure.value, figure.unit);
}

// The same with four significant digits.
inline std::string short_figure_line(const NamedFigure& figure) {
    return fmt::format("figure: {} {:.4g} {}", figure.name, figure.value, figure.unit);
}

}  // namespace fabricast::inline score
