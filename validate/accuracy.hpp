#pragma once
// How far forecasts are from measurements, as figures that anyone can recompute from one CSV.
//
// A row's error is |predicted / measured - 1|. A figure is the median over sites of the site's median error over its
// rows in a regime ("median"), or of the site's 90th percentile ("p90"): a site with many curves counts once.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/percentile.hpp"
#include "validate/derive.hpp"
#include "validate/regime.hpp"

namespace fabricast {

// One measured size beside its forecasts. Times in seconds.
struct AccuracyRow {
    std::string dataset;
    Bytes size;
    double measured = 0;
    double predicted = 0;
    double null_alphabeta = 0;
    double null_tuning = 0;
    std::string site;
    std::string used;  // "yes"; or why not: "unhealthy", "warm-up", "unreadable"
    SystemGroup group;
    std::uint32_t nodes = 1;
    std::optional<double> left_out;  // forecast of a fit without this site
    bool sibling = false;            // another site of the same group took part in that fit
};

// Which forecast is held against the measurement.
enum class Forecast : std::uint8_t { ours, left_out, null_alphabeta, null_tuning };

double forecast(const AccuracyRow& row, Forecast which);

struct SiteError {
    std::string site;
    std::size_t rows = 0;
    double median = 0;  // 0.05: 5 %
    double p90 = 0;
};

// What counts: `healthy` drops rows marked unhealthy; warm-up and unreadable rows never count. left_out counts only
// rows that have such a forecast: with siblings, without, or both (no value).
struct Selection {
    Regime regime = Regime::small;
    Forecast which = Forecast::ours;
    bool healthy = true;
    std::optional<bool> sibling = true;  // only for Forecast::left_out
};
std::vector<SiteError> site_errors(const std::vector<AccuracyRow>& rows, const Selection& selection);

// A printed figure: "nccl_mid_median_pct", 6.3.
struct AccuracyFigure {
    std::string name;
    double percent = 0;
};
// Every figure of `./dev accuracy`, in the order printed; those without a row are left out.
std::vector<AccuracyFigure> accuracy_figures(const std::vector<AccuracyRow>& rows);
// "figure: nccl_mid_median_pct 6.30 %"
std::string figure_line(const AccuracyFigure& figure);

// The CSV and back; figures of what is read equal figures of what was written.
std::string to_csv(const std::vector<AccuracyRow>& rows);
std::vector<AccuracyRow> parse_accuracy_csv(std::string_view csv, const std::string& file);

}  // namespace fabricast
