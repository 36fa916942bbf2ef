#include "validate/curves/curve.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "validate/import/embedded.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline curves {
namespace {

enum class Printed : std::uint8_t { size, time, algbw, busbw };

struct Column {
    Printed quantity = Printed::size;
    double unit = 1;  // SI per printed unit
};

bool take_prefix(std::string_view& name, std::string_view prefix) {
    const bool has = name.starts_with(prefix);
    name.remove_prefix(has ? prefix.size() : 0);
    return has;
}

// "inplace_time_us" -> time, 1e-6. Empty for other columns (labels, errors, peaks), which a curve does not use.
std::optional<Column> column_of(std::string_view name) {
    static const yaml::Node tables = embedded_tree("validate/columns.yaml");
    for (const char* place : {"inplace_", "in_place_", "ip_", "out_of_place_", "outofplace_", "oop_"}) {
        if (take_prefix(name, place)) { break; }
    }
    for (const yaml::Node& known : tables.required("measured").items()) {
        for (const yaml::Node& start : known.required("names").items()) {
            if (!take_prefix(name, start.text)) { continue; }
            take_prefix(name, "_");
            const yaml::Node* unit = name.empty() ? &known.required("bare") : known.required("units").get(name);
            if (unit == nullptr) { return std::nullopt; }
            const std::size_t quantity = known.required("quantity").as_enum({"size", "time", "algbw", "busbw"});
            return Column{static_cast<Printed>(quantity), unit->as_double()};
        }
    }
    return name == "bytes" ? std::optional(Column{}) : std::nullopt;
}

// "64K" as nccl-tests prints it, or "1 MiB" as people write it. The letter is a power of 1024, as in `-b 64K`.
std::optional<double> labelled_size(std::string_view cell) {
    const std::size_t digits = std::min(cell.find_first_not_of("0123456789."), cell.size());
    const auto value = figure_in_word(cell.substr(0, digits));
    std::string_view label = cell.substr(digits);
    label.remove_prefix(std::min(label.find_first_not_of(' '), label.size()));
    constexpr std::string_view letters = "BKMGT";
    const auto letter =
        label.empty() ? 0 : letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(label[0]))));
    if (!value || letter == std::string_view::npos) { return std::nullopt; }
    return *value * std::pow(1024.0, static_cast<double>(letter));
}

struct Reading {
    double seconds = 0;
    double relative_rounding = 0;
};

// The time from one cell; empty if it was not measured ("N/A", null, 0).
std::optional<Reading> time_of(const Column& column, const std::string& cell, double size, double busbw_factor,
                               const SourceLocation& place) {
    if (cell.empty() || cell == "N/A" || cell == "n/a" || cell == "-" || cell == "~" || cell == ".nan") {
        return std::nullopt;
    }
    const auto value = figure_in_word(cell);
    if (!value || *value < 0) {
        refuse(place, "a row's value is not a figure", shown(cell), "a number >= 0, null or N/A");
    }
    if (*value == 0) { return std::nullopt; }
    const double si = *value * column.unit;
    switch (column.quantity) {
        case Printed::time: return Reading{si, 0};
        case Printed::algbw: return Reading{size / si, rounding_of(cell) / *value};
        case Printed::busbw: return Reading{busbw_factor * size / si, rounding_of(cell) / *value};
        case Printed::size: break;
    }
    return std::nullopt;
}

struct TableColumns {
    std::size_t size_column = 0;
    double size_unit = 1;
    std::vector<std::pair<std::size_t, Column>> values;  // columns of the best available quantity
};

// Selects the columns: times if they are printed, else algbw, else busbw.
TableColumns layout_of(const Measurement& measurement) {
    std::vector<std::optional<Column>> columns;
    std::optional<Printed> best;
    std::optional<std::size_t> size_column;
    for (std::size_t i = 0; i < measurement.columns.size(); ++i) {
        columns.push_back(column_of(measurement.columns[i]));
        if (!columns[i]) { continue; }
        if (columns[i]->quantity == Printed::size) {
            size_column = size_column.value_or(i);
        } else {
            best = best ? std::min(*best, columns[i]->quantity) : columns[i]->quantity;
        }
    }
    if (!size_column || !best) {
        throw NotACurve(measurement.place, "not a size curve: columns are " + joined(measurement.columns));
    }
    TableColumns layout{*size_column, columns[*size_column]->unit, {}};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] && columns[i]->quantity == *best) { layout.values.emplace_back(i, *columns[i]); }
    }
    return layout;
}

}  // namespace

void leave_out_warm_up(Curve& curve) {
    std::vector<CurvePoint*> points;
    for (CurvePoint& point : curve.points) {
        if (point.left_out.empty()) { points.push_back(&point); }
    }
    constexpr std::size_t leading = 3;
    std::size_t warm = 0;  // number of leading warm-up points
    for (std::size_t i = 0; i < leading && i + 1 < points.size() && points.size() > leading; ++i) {
        if (points[i]->seconds > 1.10 * points[i + 1]->seconds) { warm = i + 1; }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool spike = i > 0 && i + 1 < points.size() && points[i]->seconds > 1.5 * points[i - 1]->seconds &&
                           points[i]->seconds > 1.5 * points[i + 1]->seconds;
        if (i < warm || spike) { points[i]->left_out = "warm-up"; }
    }
}

Curve read_curve(const Measurement& measurement, double busbw_factor) {
    const TableColumns layout = layout_of(measurement);
    constexpr double coarsest = 0.05;
    Curve curve;
    for (std::size_t r = 0; r < measurement.rows.size(); ++r) {
        const std::vector<std::string>& cells = measurement.rows[r];
        const std::string& label = cells[layout.size_column];
        const auto plain = figure_in_word(label);
        const auto size = plain ? std::optional(*plain * layout.size_unit) : labelled_size(label);
        if (!size || *size < 0) {
            refuse(measurement.row_places[r], "a row's size is not a size", shown(label),
                   "bytes as a number, or '64K'");
        }
        constexpr double most = 1e18;  // bytes; whole numbers of 64 bits end at 9.2e18
        if (*size > most || (plain && layout.size_unit == 1 && *size != std::round(*size))) {
            refuse(measurement.row_places[r], "a row's size is not a size", shown(label), "whole bytes, at most 1e18");
        }
        std::optional<Reading> fastest;
        for (const auto& [index, column] : layout.values) {
            const auto reading = time_of(column, cells[index], *size, busbw_factor, measurement.row_places[r]);
            if (reading && (!fastest || reading->seconds < fastest->seconds)) { fastest = reading; }
        }
        if (*size < 1 || !fastest) {
            continue;  // an empty first size of nccl-tests, or a size that was not measured
        }
        CurvePoint point{Bytes{static_cast<std::int64_t>(std::llround(*size))}, fastest->seconds, ""};
        if (fastest->relative_rounding > coarsest) { point.left_out = "unreadable"; }
        curve.points.push_back(point);
    }
    if (curve.points.empty()) { throw NotACurve(measurement.place, "not a size curve: no row has a size and a time"); }
    std::ranges::stable_sort(curve.points, {}, &CurvePoint::size);
    leave_out_warm_up(curve);
    return curve;
}

}  // namespace fabricast::inline curves
