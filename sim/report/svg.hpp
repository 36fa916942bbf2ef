#pragma once
// Texts and documents in SVG.

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "base/text.hpp"

namespace fabricast::inline report {

// `anchor`: start, middle or end.
inline std::string svg_text(double x, double y, std::string_view anchor, std::string_view words) {
    return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", x, y, anchor, markup_text(words));
}

// `defs`: arrow heads and the like; may be empty. `drawn` lies on a white ground.
inline std::string svg_document(double width, double height, int font_size, std::string_view defs,
                                std::string_view drawn) {
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{:.0f}' height='{:.0f}' font-family='sans-serif' "
        "font-size='{}'>\n{}<rect width='100%' height='100%' fill='white'/>\n{}</svg>\n",
        width, height, font_size, defs, drawn);
}

inline std::string size_words(double bytes) {
    return bytes >= 1e6 ? fmt::format("{:.3g} MB", bytes * 1e-6) : fmt::format("{:.3g} KB", bytes * 1e-3);
}

inline std::string time_words(double seconds) {
    return seconds >= 1e-3 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} us", seconds * 1e6);
}

}  // namespace fabricast::inline report
