#include "sim/report/html/page_json.hpp"

// A page as the JSON that its script reads: one object for each section, with its `kind` first. nlohmann-json finds
// each to_json() by its argument, also for the items of a list.

#include <array>
#include <cmath>

#include "base/enum_name.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast::inline report::html {

namespace {

// null if the value is not finite: JSON has no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

// A value for a picture, rounded to four digits, which is more than a screen shows; null if negative (not known).
Json drawn(double value) {
    if (value < 0) { return nullptr; }
    const double scale = value == 0 ? 1 : std::pow(10.0, 3 - std::floor(std::log10(value)));
    return number(std::round(value * scale) / scale);
}

Json cell_json(const Cell& cell) {
    if (const auto* figure = std::get_if<double>(&cell)) { return number(*figure); }
    const auto* words = std::get_if<std::string>(&cell);
    return words != nullptr ? Json(*words) : Json();
}

}  // namespace

void to_json(Json& json, Unit unit) {
    static constexpr std::array<std::string_view, 9> words = {"none",  "count", "time",  "rate", "size",
                                                              "share", "flops", "power", "money"};
    json = enum_name(words, unit);
}

void to_json(Json& json, const Column& column) { json = {{"label", column.label}, {"unit", column.unit}}; }

void to_json(Json& json, const Table& table) {
    Json rows = Json::array();
    for (const std::vector<Cell>& row : table.rows) {
        Json& cells = rows.emplace_back(Json::array());
        for (const Cell& cell : row) { cells.push_back(cell_json(cell)); }
    }
    json = {{"kind", "table"}, {"title", table.title},   {"caption", table.caption}, {"columns", table.columns},
            {"rows", rows},    {"folded", table.folded}, {"marked", table.marked}};
}

void to_json(Json& json, const Point& p) { json = {number(p.x), number(p.y), number(p.low), number(p.high)}; }

void to_json(Json& json, const Line& line) {
    json = {{"label", line.label}, {"measured", line.measured}, {"points", line.points}};
}

void to_json(Json& json, const Axis& axis) { json = {{"label", axis.label}, {"unit", axis.unit}, {"log", axis.log}}; }

void to_json(Json& json, const Curves& curves) {
    json = {{"kind", "curves"}, {"title", curves.title}, {"caption", curves.caption},
            {"x", curves.x},    {"y", curves.y},         {"lines", curves.lines}};
}

void to_json(Json& json, const BarPart& part) {
    Json values = Json::array();
    for (const double value : part.values) { values.push_back(number(value)); }
    json = {{"label", part.label}, {"values", std::move(values)}};
}

void to_json(Json& json, const Bars& bars) {
    json = {{"kind", "bars"},    {"title", bars.title},   {"caption", bars.caption},
            {"unit", bars.unit}, {"labels", bars.labels}, {"parts", bars.parts}};
}

void to_json(Json& json, const TornadoBar& bar) {
    json = {{"label", bar.label}, {"change", number(bar.change)}, {"low", number(bar.low)}, {"high", number(bar.high)}};
}

void to_json(Json& json, const Tornado& tornado) {
    json = {{"kind", "tornado"},
            {"title", tornado.title},
            {"caption", tornado.caption},
            {"unit", tornado.unit},
            {"bars", tornado.bars}};
}

void to_json(Json& json, const Span& span) { json = {span.lane, span.name, number(span.from), number(span.to)}; }

void to_json(Json& json, const Activity& activity) {
    json = {{"kind", "activity"},
            {"title", activity.title},
            {"caption", activity.caption},
            {"lanes", activity.lanes},
            {"spans", activity.spans}};
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
    json = {{"kind", "scene"},
            {"title", scene.title},
            {"caption", scene.caption},
            {"folded", scene.drawing.folded},
            {"circle", scene.drawing.circle},
            {"start", scene.start ? Json(*scene.start) : Json()},
            {"frame_kind", scene.drawing.frame_kind},
            {"frames", scene.drawing.frames},
            {"boxes", scene.drawing.boxes},
            {"wires", scene.drawing.wires}};
}

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

}  // namespace fabricast::inline report::html
