#pragma once
// How far forecasts are from measurements, as figures that anyone can recompute from one CSV.
//
// A row's error is |predicted / measured - 1|. A figure is the median over sites of the site's median error over its
// rows in a regime ("median"), or of the site's 90th percentile ("p90"): a site with many curves counts once. Beside
// them the 90th percentile over all rows, whatever their site ("pooled_p90"), which a few bad curves cannot hide from.

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
    std::string publisher;                // who published it: several sites may have one
    std::optional<double> left_out;       // forecast of a fit without this site
    bool sibling = false;                 // another site of the same group took part in that fit
    std::optional<double> publisher_out;  // forecast of a fit without any site of this publisher
    bool publisher_sibling = false;       // a site of the same group and another publisher took part in that fit
    // The null models with constants fitted to the rows of the other publishers (fitted_nulls.hpp).
    std::optional<double> fitted_alphabeta, fitted_tuning;
};

// Which forecast is held against the measurement.
enum class Forecast : std::uint8_t {
    ours,
    left_out,
    publisher_out,
    null_alphabeta,
    null_tuning,
    fitted_alphabeta,
    fitted_tuning
};

// Seconds; 0 where the row has no such forecast.
double forecast(const AccuracyRow& row, Forecast which);

// The two parts of every table: collectives inside one node, and between nodes.
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

// What counts: `healthy` drops rows marked unhealthy; warm-up and unreadable rows never count, nor rows without the
// forecast asked for. left_out and publisher_out count rows with siblings, without, or both (no value).
struct Selection {
    Regime regime = Regime::small;
    Forecast which = Forecast::ours;
    bool healthy = true;
    std::optional<bool> sibling = true;         // only for Forecast::left_out and publisher_out
    std::optional<Scope> scope = std::nullopt;  // both, where there is no value
};
std::vector<SiteError> site_errors(const std::vector<AccuracyRow>& rows, const Selection& selection);
// The 90th percentile over all selected rows, whatever their site.
std::optional<double> pooled_p90(const std::vector<AccuracyRow>& rows, const Selection& selection);

// Every figure of `./dev accuracy`, in the order printed; those without a row are left out.
std::vector<NamedFigure> accuracy_figures(const std::vector<AccuracyRow>& rows);
// The CSV and back; figures of what is read equal figures of what was written.
std::string to_csv(const std::vector<AccuracyRow>& rows);
std::vector<AccuracyRow> parse_accuracy_csv(std::string_view csv, const std::string& file);

}  // namespace fabricast
