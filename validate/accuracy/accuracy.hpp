#pragma once
// How far forecasts are from measurements, as figures that anyone can recompute from one CSV.
//
// The error of a row is |predicted / measured - 1|. Each site contributes one number per regime: the median error over
// its rows ("median") or the 90th percentile ("p90"). The figure is the median of these numbers over the sites, so a
// site with many curves counts once. "pooled_p90" is the 90th percentile over all rows, whatever their site, which
// shows the few bad curves that the other two hide.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/percentile.hpp"
#include "validate/curves/derive.hpp"
#include "validate/score/named_figure.hpp"
#include "validate/score/regime.hpp"

namespace fabricast {

// One measured size and its forecasts. Times in seconds.
struct AccuracyRow {
    std::string dataset;
    Bytes size;
    double measured = 0;
    double predicted = 0;
    double null_alphabeta = 0;
    double null_tuning = 0;
    std::string site;
    std::string used;  // "yes", or why not: "unhealthy", "warm-up", "unreadable"
    SystemGroup group;
    std::uint32_t nodes = 1;
    std::string publisher;                // several sites may have the same publisher
    std::optional<double> left_out;       // forecast from a fit without this site
    bool sibling = false;                 // whether another site of the same group was in that fit
    std::optional<double> publisher_out;  // forecast from a fit without any site of this publisher
    bool publisher_sibling = false;       // whether another publisher's site of the same group was in that fit
    // The null models with constants that were fitted to the rows of the other publishers (fitted_nulls.hpp).
    std::optional<double> fitted_alphabeta, fitted_tuning;
};

// Which forecast is compared with the measurement.
enum class Forecast : std::uint8_t {
    ours,
    left_out,
    publisher_out,
    null_alphabeta,
    null_tuning,
    fitted_alphabeta,
    fitted_tuning
};

// In seconds; 0 if the row has no such forecast.
double forecast(const AccuracyRow& row, Forecast which);

// Every table separates collectives inside one node from collectives between nodes.
enum class Scope : std::uint8_t { inside, between };
inline constexpr std::array<Scope, 2> all_scopes = {Scope::inside, Scope::between};
constexpr std::string_view to_string(Scope scope) { return scope == Scope::inside ? "inside" : "between"; }
inline Scope scope_of(const AccuracyRow& row) { return row.nodes > 1 ? Scope::between : Scope::inside; }

struct SiteError {
    std::string site;
    std::size_t rows = 0;
    double median = 0;  // 0.05: 5 %
    double p90 = 0;
};

// Which rows count. `healthy` drops the rows marked unhealthy. Warm-up rows, unreadable rows and rows without the
// forecast asked for never count. For left_out and publisher_out, `sibling` selects the rows with siblings (true),
// without (false), or both (no value).
struct Selection {
    Regime regime = Regime::small;
    Forecast which = Forecast::ours;
    bool healthy = true;
    std::optional<bool> sibling = true;         // only for Forecast::left_out and publisher_out
    std::optional<Scope> scope = std::nullopt;  // no value: both
};
std::vector<SiteError> site_errors(const std::vector<AccuracyRow>& rows, const Selection& selection);
// The 90th percentile over all selected rows, whatever their site.
std::optional<double> pooled_p90(const std::vector<AccuracyRow>& rows, const Selection& selection);

// Every figure of `./dev accuracy`, in printing order; figures without any row are left out.
std::vector<NamedFigure> accuracy_figures(const std::vector<AccuracyRow>& rows);
// Writes and reads the CSV. Figures computed from the parsed rows equal those of the rows that were written.
std::string to_csv(const std::vector<AccuracyRow>& rows);
std::vector<AccuracyRow> parse_accuracy_csv(std::string_view csv, const std::string& file);

}  // namespace fabricast
