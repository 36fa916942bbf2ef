#pragma once
// The report to hand over, as values: what a command has to tell, section by section. page_html() makes one offline
// file of it; page/*.js draws each section and puts a table behind each picture. Every text here may come from a user:
// it stays text in the page.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "sim/report/html/drawing.hpp"
#include "sim/report/report.hpp"

namespace fabricast::html {

// What a number counts, in its SI base unit; the page writes 1.2e-5 of `time` as "12 us" and 0.31 of `share` as "31 %".
enum class Unit : std::uint8_t { none, count, time, rate, size, share, flops, power, money };

// A number in its column's unit, words, or nothing.
using Cell = std::variant<std::monostate, double, std::string>;
struct Column {
    std::string label;
    Unit unit = Unit::none;
};
struct Table {
    std::string title, caption;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;   // as long as `columns` each
    bool folded = false;                   // shown when asked for
    std::vector<std::size_t> marked = {};  // rows to stand out: a Pareto set, a winner
};

// One point of a curve and its 80 % interval where there is one.
struct Point {
    double x = 0, y = 0;
    std::optional<double> low = {}, high = {};
};
struct Line {
    std::string label;
    std::vector<Point> points;
    bool measured = false;  // dots, not a line: somebody saw this
};
struct Axis {
    std::string label;
    Unit unit = Unit::none;
    bool log = false;
};
struct Curves {
    std::string title, caption;
    Axis x, y;
    std::vector<Line> lines;
};

// Stacked bars: a row for each label, a piece of it for each part.
struct BarPart {
    std::string label;
    std::vector<double> values;  // one a label
};
struct Bars {
    std::string title, caption;
    Unit unit = Unit::none;
    std::vector<std::string> labels;
    std::vector<BarPart> parts;
};

// Signed bars from nought, longest first: how much each change of the scenario changes the answer (-0.07: 7 % less).
struct TornadoBar {
    std::string label;
    double change = 0;
    std::optional<double> low = {}, high = {};  // its 80 % interval
};
struct Tornado {
    std::string title, caption;
    Unit unit = Unit::share;
    std::vector<TornadoBar> bars;
};

// What ran when: a lane a row, spans in seconds.
struct Span {
    std::size_t lane = 0;  // index into `lanes`
    std::string name;
    double from = 0, to = 0;
};
struct Activity {
    std::string title, caption;
    std::vector<std::string> lanes;  // their kind is their colour: equal words, equal colour
    std::vector<Span> spans;
};

// The cluster, with what its links carry in each frame (a message size, or a moment): drawing.hpp makes it.
struct Scene {
    std::string title, caption;
    Drawing drawing;
    std::optional<std::size_t> start = {};  // the frame shown first; else the last
};

// Paragraphs, or a text as it stands (a scenario).
struct Words {
    std::string title;
    std::vector<std::string> paragraphs;
    bool verbatim = false;
};

using Section = std::variant<Curves, Bars, Tornado, Activity, Scene, Table, Words>;

// A figure in large type under the answer.
struct Headline {
    std::string label, value, note;
};

struct Page {
    std::string title;
    std::string answer;  // one sentence: what was asked, and what comes out
    std::vector<Headline> headlines;
    std::vector<Section> sections;
    std::vector<FigureUsed> figures;                         // the assumptions, with their origins
    std::vector<std::string> evidence, notes;                // what the weakest evidence rests on; further assumptions
    std::vector<std::pair<std::string, std::string>> facts;  // engine, seed, version: how to get the same again
};

}  // namespace fabricast::html
