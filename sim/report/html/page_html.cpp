#include "sim/report/html/page_html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "base/embedded_file.hpp"
#include "base/enum_name.hpp"
#include "base/text.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast::inline report {

std::span<const EmbeddedFile> embedded_page();  // page/*, and ECharts if it was fetched; by cmake/embed.cmake

}  // namespace fabricast::inline report

namespace fabricast::inline report::html {

namespace {

// A value for a picture, rounded to four digits, which is more than a screen shows; null if negative (not known).
Json drawn(double value) {
    if (value < 0) { return nullptr; }
    const double scale = value == 0 ? 1 : std::pow(10.0, 3 - std::floor(std::log10(value)));
    return std::round(value * scale) / scale;
}

constexpr std::string_view charts_file = "node_modules/echarts/dist/echarts.min.js";
// In the order of the page: each script uses only those before it.
constexpr std::array<std::string_view, 8> scripts = {"page/dom.js",  "page/format.js", "page/table.js", "page/chart.js",
                                                     "page/bars.js", "page/curves.js", "page/scene.js", "page/page.js"};

// A file of this folder as the build embedded it; empty if the build did not.
std::string_view file(std::string_view name) {
    const std::span<const EmbeddedFile> files = embedded_page();
    const auto found = std::ranges::find(files, "sim/report/html/" + std::string(name), &EmbeddedFile::name);
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

// What all pictures and tables begin with, then `own`.
template <class Titled> Json section(const char* kind, const Titled& titled, const Json& own) {
    Json json = {{"kind", kind}, {"title", titled.title}, {"caption", titled.caption}};
    json.update(own);
    return json;
}

}  // namespace

// A page as the JSON that its script reads: one object for each section, with its `kind` first. nlohmann-json finds
// each to_json() by its argument, also for the items of a list, and writes what is not finite as null: JSON has no NaN.
void to_json(Json& json, Unit unit) {
    static constexpr std::array<std::string_view, 9> words = {"none",  "count", "time",  "rate", "size",
                                                              "share", "flops", "power", "money"};
    json = enum_name(words, unit);
}

void to_json(Json& json, const Column& column) { json = {{"label", column.label}, {"unit", column.unit}}; }

void to_json(Json& json, const Table& table) {
    json =
        section("table", table,
                {{"columns", table.columns}, {"rows", table.rows}, {"folded", table.folded}, {"marked", table.marked}});
}

void to_json(Json& json, const Point& p) { json = {p.x, p.y, p.low, p.high}; }

void to_json(Json& json, const Line& line) {
    json = {{"label", line.label}, {"measured", line.measured}, {"points", line.points}};
}

void to_json(Json& json, const Axis& axis) { json = {{"label", axis.label}, {"unit", axis.unit}, {"log", axis.log}}; }

void to_json(Json& json, const Curves& curves) {
    json = section("curves", curves, {{"x", curves.x}, {"y", curves.y}, {"lines", curves.lines}});
}

void to_json(Json& json, const BarPart& part) { json = {{"label", part.label}, {"values", part.values}}; }

void to_json(Json& json, const Bars& bars) {
    json = section("bars", bars, {{"unit", bars.unit}, {"labels", bars.labels}, {"parts", bars.parts}});
}

void to_json(Json& json, const TornadoBar& bar) {
    json = {{"label", bar.label}, {"change", bar.change}, {"low", bar.low}, {"high", bar.high}};
}

void to_json(Json& json, const Tornado& tornado) {
    json = section("tornado", tornado, {{"unit", tornado.unit}, {"bars", tornado.bars}});
}

void to_json(Json& json, const Span& span) { json = {span.lane, span.name, span.from, span.to}; }

void to_json(Json& json, const Activity& activity) {
    json = section("activity", activity, {{"lanes", activity.lanes}, {"spans", activity.spans}});
}

// null if there is no such direction. Leaves out series that are unknown or zero in every frame.
void to_json(Json& json, const WireDirection& direction) {
    if (direction.name.empty()) { return; }
    json = {{"name", direction.name}};
    const auto series = [&](const char* name, double Load::*field) {
        Json values = Json::array();
        bool any = false;
        for (const Load& load : direction.loads) {
            any |= load.*field > 0;
            values.push_back(drawn(load.*field));
        }
        if (any) { json[name] = std::move(values); }
    };
    series("busy", &Load::busy);
    series("queued", &Load::queued_bytes);
    series("paused", &Load::paused);
}

void to_json(Json& json, const Wire& wire) {
    json = {{"a", wire.a},           {"b", wire.b},
            {"class", wire.cls},     {"capacity", wire.capacity},
            {"cables", wire.cables}, {"directions", {wire.there, wire.back}}};
}

void to_json(Json& json, const Box& box) {
    json = {{"name", box.name}, {"kind", box.kind}, {"node", box.node}, {"tier", box.tier}};
}

void to_json(Json& json, const Scene& scene) {
    const Drawing& drawing = scene.drawing;
    json = section("scene", scene,
                   {{"folded", drawing.folded},
                    {"circle", drawing.circle},
                    {"start", scene.start},
                    {"frame_kind", drawing.frame_kind},
                    {"frames", drawing.frames},
                    {"boxes", drawing.boxes},
                    {"wires", drawing.wires}});
}

void to_json(Json& json, const Picture& picture) { json = section("picture", picture, {{"svg", picture.svg}}); }

void to_json(Json& json, const Words& words) {
    json = {{"kind", "words"}, {"title", words.title}, {"paragraphs", words.paragraphs}, {"verbatim", words.verbatim}};
}

void to_json(Json& json, const Section& section) {
    std::visit([&](const auto& own) { json = own; }, section);
}

void to_json(Json& json, const Headline& h) { json = {{"label", h.label}, {"value", h.value}, {"note", h.note}}; }

Json page_json(const Page& page) {
    return {{"title", page.title},
            {"answer", page.answer},
            {"headlines", page.headlines},
            {"sections", page.sections},
            {"figures", records_json(page.figures, figure_used_columns())},
            {"evidence", page.evidence},
            {"notes", page.notes},
            {"facts", page.facts}};
}

bool has_charts() { return !file(charts_file).empty(); }

void require_charts() {
    if (!has_charts()) {
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
