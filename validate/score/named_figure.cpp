#include "validate/score/named_figure.hpp"

#include <fmt/format.h>

namespace fabricast::inline score {

std::string figure_line(const NamedFigure& figure) {
    return fmt::format("figure: {} {:.2f} {}", figure.name, figure.value, figure.unit);
}

std::string short_figure_line(const NamedFigure& figure) {
    return fmt::format("figure: {} {:.4g} {}", figure.name, figure.value, figure.unit);
}

}  // namespace fabricast::inline score
