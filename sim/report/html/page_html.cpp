#include "sim/report/html/page_html.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/embedded_file.hpp"
#include "base/text.hpp"
#include "sim/report/html/page_json.hpp"

namespace fabricast::inline report {

std::span<const EmbeddedFile> embedded_page();  // page/*, and ECharts if it was fetched; by cmake/embed.cmake

}  // namespace fabricast::inline report

namespace fabricast::inline report::html {

namespace {

constexpr std::string_view charts_file = "node_modules/echarts/dist/echarts.min.js";
// In the order of the page: each script uses only those before it.
constexpr std::array<std::string_view, 8> scripts = {"page/dom.js",  "page/format.js", "page/table.js", "page/chart.js",
                                                     "page/bars.js", "page/curves.js", "page/scene.js", "page/page.js"};

// A file of this folder as the build embedded it; empty if the build did not.
std::string_view file(std::string_view name) {
    const std::span<const EmbeddedFile> files = embedded_page();
    const auto found = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& f) {
        return f.name.ends_with("html/" + std::string(name));
    });
    return found == files.end() ? std::string_view() : found->text;
}

// JSON for a <script> element, with `<` escaped, so that no text in it can end the element or open a comment.
std::string script_text(const Json& json) {
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string out;
    out.reserve(text.size() + text.size() / 16);
    for (const char c : text) { out += c == '<' ? "\\u003c" : std::string(1, c); }
    return out;
}

std::string script() {
    std::string text = "(() => {\n\"use strict\";\n";
    for (const std::string_view name : scripts) { text += file(name); }
    return text + "})();\n";
}

}  // namespace

void require_charts() {
    if (file(charts_file).empty()) {
        throw MissingCharts(
            "--html needs Apache ECharts, and this build found none (`./dev build` fetches it from the npm registry)");
    }
}

std::string page_html(const Page& page) {
    require_charts();
    const std::array<std::pair<std::string_view, std::string>, 5> parts = {
        {{"<!--title-->", markup_text(page.title + " \xe2\x80\x93 fabricast")},
         {"/*style*/", std::string(file("page/page.css"))},
         {"<!--model-->", script_text(page_json(page))},
         {"/*charts*/", std::string(file(charts_file))},
         {"/*script*/", script()}}};
    std::string html;
    std::string_view rest = file("page/page.html");  // contains the markers in this order
    for (const auto& [marker, text] : parts) {
        const std::size_t at = rest.find(marker);
        html.append(rest.substr(0, at)).append(text);
        rest.remove_prefix(at + marker.size());
    }
    return html.append(rest);
}

}  // namespace fabricast::inline report::html
