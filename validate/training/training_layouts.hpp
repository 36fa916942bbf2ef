#pragma once
// How well forecasts rank layouts: among the rows of a table that have model, machine and batch in common, is the one
// that the forecast would choose the one that was measured fastest, and is each pair in the right order?

#include <string>
#include <vector>

#include "validate/training/training_accuracy.hpp"

namespace fabricast::inline validate_training {

// The rows of one table that differ only in their layout, two layouts at least; runs of one layout are one entry, the
// mean of their times.
struct LayoutGroup {
    struct Entry {
        std::string layout;  // what the scenario says of it
        double measured_s = 0, forecast_s = 0;
        int runs = 0;
        bool fits = true;  // as far as is expected: `fabricast plan` looks at no other
    };
    std::string table;
    std::vector<Entry> entries;

    // Time of the layout that the forecast puts first, of those that fit, over the measured best, less 1.
    double chosen_over_best() const;
    // Pairs whose measured times differ by more than runs of one layout do, and how many of them are in the right
    // order.
    struct Pairs {
        int all = 0, right = 0;
    };
    Pairs pairs() const;
};

// Rows with equal cells in the columns of a table's `series` belong together, but for columns that set a layout.
// Excluded rows count too: a time that is wrong as a whole may still be ranked right.
std::vector<LayoutGroup> layout_groups(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog);

// Each table counts once.
std::vector<NamedFigure> layout_figures(const std::vector<LayoutGroup>& groups);

// The section of the page on training: a line for each table.
std::string layouts_section(const std::vector<LayoutGroup>& groups);

}  // namespace fabricast::inline validate_training
