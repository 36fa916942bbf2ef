#include "sim/report/svg.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace fabricast {

std::string svg_text(double x, double y, std::string_view anchor, std::string_view words) {
    return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", x, y, anchor, markup_text(words));
}

std::string svg_document(double width, double height, int font_size, std::string_view defs, std::string_view drawn) {
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{:.0f}' height='{:.0f}' font-family='sans-serif' "
        "font-size='{}'>\n{}<rect width='100%' height='100%' fill='white'/>\n{}</svg>\n",
        width, height, font_size, defs, drawn);
}

}  // namespace fabricast
