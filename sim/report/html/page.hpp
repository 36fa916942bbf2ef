#pragma once
// An HTML report as values, section by section. page_html() makes one offline file of it; page/*.js draws each section
// and puts a table after each picture. The page shows texts, which users may have written, never as markup.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/report/columns.hpp"
#include "sim/report/html/drawing.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report::html {

// One point of a curve, with its 80 % interval if it has one.
struct Point {
    double x = 0, y = 0;
    std::optional<double> low = {}, high = {};
};
struct Line {
    std::string label;
    std::vector<Point> points;
    bool measured = false;  // measurements: drawn as dots, not as a line
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

// Stacked bars: a bar for each label, a segment of it for each part.
struct BarPart {
    std::string label;
    std::vector<double> values;  // one for each label
};
struct Bars {
    std::string title, caption;
    Unit unit = Unit::none;
    std::vector<std::string> labels;
    std::vector<BarPart> parts;
};

// Signed bars from zero, longest first: how much each change of the scenario changes the answer (-0.07: 7 % less).
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

// What ran when: one line for each lane; spans in seconds.
struct Span {
    std::size_t lane = 0;  // index into `lanes`
    std::string name;
    double from = 0, to = 0;
};
struct Activity {
    std::string title, caption;
    std::vector<std::string> lanes;  // equal names have equal colours
    std::vector<Span> spans;
};

// The cluster and the load of its links in each frame (a message size or an interval of time); drawing.hpp makes it.
struct Scene {
    std::string title, caption;
    Drawing drawing;
    std::optional<std::size_t> start = {};  // index of the frame shown first; none: the last frame
};

// A picture that was drawn in C++, as an SVG document: shown as an image, so nothing in it is run.
struct Picture {
    std::string title, caption, svg;
};

// Paragraphs, or a preformatted text such as a scenario.
struct Words {
    std::string title;
    std::vector<std::string> paragraphs;
    bool verbatim = false;
};

using Section = std::variant<Curves, Bars, Tornado, Activity, Scene, Picture, Table, Words>;

// A figure in large type under the answer.
struct Headline {
    std::string label, value, note;
};

struct Page {
    std::string title;
    std::string answer;  // one sentence: the question and the answer
    std::vector<Headline> headlines;
    std::vector<Section> sections;
    std::vector<FigureUsed> figures;                         // the catalogue figures used, with their origins
    std::vector<std::string> evidence, notes;                // why the weakest evidence is weak; further assumptions
    std::vector<std::pair<std::string, std::string>> facts;  // to reproduce the result: engine, seed, version
};

}  // namespace fabricast::inline report::html
