#include "sim/report/html/page_json.hpp"

// A page as the JSON that its script reads: one object for each section, with its `kind` first.

#include <array>
#include <cmath>

#include "base/enum_name.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast::html {

namespace {

std::string_view to_string(Unit unit) {
    static constexpr std::array<std::string_view, 9> words = {"none",  "count", "time",  "rate", "size",
                                                              "share", "flops", "power", "money"};
    return enum_name(words, unit);
}

// null if the value is not finite: JSON has no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

// A value for a picture, rounded to four digits, which is more than a screen shows; null if negative (not known).
Json drawn(double value) {
    if (value < 0) {
        return nullptr;
    }
    const double scale = value == 0 ? 1 : std::pow(10.0, 3 - std::floor(std::log10(value)));
    return number(std::round(value * scale) / scale);
}

Json cell_json(const Cell& cell) {
    if (const auto* figure = std::get_if<double>(&cell)) {
        return number(*figure);
    }
    const auto* words = std::get_if<std::string>(&cell);
    return words != nullptr ? Json(*words) : Json();
}

Json section_json(const Table& table) {
    Json columns = Json::array();
    for (const Column& column : table.columns) {
        columns.push_back({{"label", column.label}, {"unit", to_string(column.unit)}});
    }
    Json rows = Json::array();
    for (const std::vector<Cell>& row : table.rows) {
        Json cells = Json::array();
        for (const Cell& cell : row) {
            cells.push_back(cell_json(cell));
        }
        rows.push_back(std::move(cells));
    }
    return {{"kind", "table"}, {"title", table.title},   {"caption", table.caption}, {"columns", columns},
            {"rows", rows},    {"folded", table.folded}, {"marked", table.marked}};
}

Json axis_json(const Axis& axis) { return {{"label", axis.label}, {"unit", to_string(axis.unit)}, {"log", axis.log}}; }

Json section_json(const Curves& curves) {
    Json lines = Json::array();
    for (const Line& line : curves.lines) {
        Json points = Json::array();
        for (const Point& p : line.points) {
            points.push_back({number(p.x), number(p.y), number(p.low), number(p.high)});
        }
        lines.push_back({{"label", line.label}, {"measured", line.measured}, {"points", std::move(points)}});
    }
    return {{"kind", "curves"},         {"title", curves.title},    {"caption", curves.caption},
            {"x", axis_json(curves.x)}, {"y", axis_json(curves.y)}, {"lines", std::move(lines)}};
}

Json section_json(const Bars& bars) {
    Json parts = Json::array();
    for (const BarPart& part : bars.parts) {
        Json values = Json::array();
        for (const double value : part.values) {
            values.push_back(number(value));
        }
        parts.push_back({{"label", part.label}, {"values", std::move(values)}});
    }
    return {{"kind", "bars"},          {"title", bars.title},
            {"caption", bars.caption}, {"unit", to_string(bars.unit)},
            {"labels", bars.labels},   {"parts", std::move(parts)}};
}

Json section_json(const Tornado& tornado) {
    Json bars = Json::array();
    for (const TornadoBar& bar : tornado.bars) {
        bars.push_back({{"label", bar.label},
                        {"change", number(bar.change)},
                        {"low", number(bar.low)},
                        {"high", number(bar.high)}});
    }
    return {{"kind", "tornado"},
            {"title", tornado.title},
            {"caption", tornado.caption},
            {"unit", to_string(tornado.unit)},
            {"bars", std::move(bars)}};
}

Json section_json(const Activity& activity) {
    Json spans = Json::array();
    for (const Span& span : activity.spans) {
        spans.push_back({span.lane, span.name, number(span.from), number(span.to)});
    }
    return {{"kind", "activity"},
            {"title", activity.title},
            {"caption", activity.caption},
            {"lanes", activity.lanes},
            {"spans", std::move(spans)}};
}

// Leaves out series that are unknown or zero in every frame.
Json direction_json(const WireDirection& direction) {
    Json json = {{"name", direction.name}};
    const auto series = [&](const char* name, double Load::*field) {
        Json values = Json::array();
        bool any = false;
        for (const Load& load : direction.loads) {
            any |= load.*field > 0;
            values.push_back(drawn(load.*field));
        }
        if (any) {
            json[name] = std::move(values);
        }
    };
    series("busy", &Load::busy);
    series("queued", &Load::queued_bytes);
    series("paused", &Load::paused);
    return json;
}

Json wire_json(const Wire& wire) {
    Json directions = Json::array();
    for (const WireDirection* direction : {&wire.there, &wire.back}) {
        directions.push_back(direction->name.empty() ? Json() : direction_json(*direction));
    }
    return {{"a", wire.a},           {"b", wire.b},
            {"class", wire.cls},     {"capacity", wire.capacity},
            {"cables", wire.cables}, {"directions", std::move(directions)}};
}

Json section_json(const Scene& scene) {
    Json boxes = Json::array();
    for (const Box& box : scene.drawing.boxes) {
        boxes.push_back({{"name", box.name}, {"kind", box.kind}, {"node", box.node}, {"tier", box.tier}});
    }
    Json wires = Json::array();
    for (const Wire& wire : scene.drawing.wires) {
        wires.push_back(wire_json(wire));
    }
    return {{"kind", "scene"},
            {"title", scene.title},
            {"caption", scene.caption},
            {"folded", scene.drawing.folded},
            {"circle", scene.drawing.circle},
            {"start", scene.start ? Json(*scene.start) : Json()},
            {"frame_kind", scene.drawing.frame_kind},
            {"frames", scene.drawing.frames},
            {"boxes", std::move(boxes)},
            {"wires", std::move(wires)}};
}

Json section_json(const Words& words) {
    return {{"kind", "words"}, {"title", words.title}, {"paragraphs", words.paragraphs}, {"verbatim", words.verbatim}};
}

}  // namespace

Json page_json(const Page& page) {
    Json sections = Json::array();
    for (const Section& section : page.sections) {
        sections.push_back(std::visit([](const auto& s) { return section_json(s); }, section));
    }
    Json headlines = Json::array();
    for (const Headline& h : page.headlines) {
        headlines.push_back({{"label", h.label}, {"value", h.value}, {"note", h.note}});
    }
    Json facts = Json::array();
    for (const auto& [label, value] : page.facts) {
        facts.push_back({label, value});
    }
    return {{"title", page.title},
            {"answer", page.answer},
            {"headlines", std::move(headlines)},
            {"sections", std::move(sections)},
            {"figures", records_json(page.figures, figure_used_columns())},
            {"evidence", page.evidence},
            {"notes", page.notes},
            {"facts", std::move(facts)}};
}

}  // namespace fabricast::html
