#pragma once
// Parts of a picture as SVG text.

#include <string>
#include <string_view>

namespace fabricast {

// `anchor`: start, middle or end.
std::string svg_text(double x, double y, std::string_view anchor, std::string_view words);

// `defs`: arrow heads and the like; may be empty. `drawn` lies on a white ground.
std::string svg_document(double width, double height, int font_size, std::string_view defs, std::string_view drawn);

}  // namespace fabricast
