#pragma once
// Line and dot charts as SVG text: small, self-contained, deterministic.

#include <string>
#include <utility>
#include <vector>

namespace fabricast::inline score {

// The kind of an axis decides its ticks: sizes step by powers of 4 ("64 KiB"), times by powers of 10 ("100 us"), both
// logarithmic; percentages are linear, and symmetric about 0 if there are negative values.
enum class AxisKind : unsigned char { size, time, percent };

struct Series {
    std::string label;
    std::vector<std::pair<double, double>> points;  // bytes or seconds or percent
    std::string color;
    bool line = true;
    bool markers = false;
    bool dashed = false;
};

struct Panel {
    std::string title;
    AxisKind y = AxisKind::time;
    std::string x_label, y_label;
    std::vector<Series> series;
    double width = 640, height = 360;
    bool legend = true;
};

// Panels from left to right, `columns` per row.
std::string svg(const std::vector<Panel>& panels, std::size_t columns = 1);

// A row of dots on a common percent scale for each named thing; missing values are left out.
struct DotRow {
    std::string label;
    std::vector<double> values;  // one per legend entry; negative: none
};
struct DotChart {
    std::string title;
    std::vector<std::string> legend;
    std::vector<std::string> colors;
    std::vector<DotRow> rows;
    double limit = 100;  // percent at the right edge; larger values are drawn there as a smaller dot
};
std::string svg(const std::vector<DotChart>& charts);

// "64 KiB", "1 GiB"; "12 us", "3.4 ms"; three significant digits at most.
std::string size_label(double bytes);
std::string time_label(double seconds);

}  // namespace fabricast::inline score
