#pragma once
// A measured curve that is fitted, and its forecasts as a function of the fitted figures.

#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "validate/curves/compare.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline calibration {

// A healthy curve without its warm-up rows. `seconds` has one entry per size.
struct FitDataset {
    std::string id, site, publisher;
    SystemGroup group;
    Scenario scenario;
    std::vector<Bytes> sizes;
    std::vector<double> seconds;
};

// All curves of a site and group in one regime count as one observation, however many rows they have.
using FitCell = std::tuple<std::string, SystemGroup, Regime>;

// The curve of a comparison: of its rows each `step`th, except those left out and those of the regimes `unexplained`.
// It is its own site and publisher.
FitDataset fit_dataset(const Comparison& comparison, std::size_t step = 1, const std::set<Regime>& unexplained = {});

// The figures of a curve in the working catalogue: first those shared by all sites, then the site's own factors on
// shared figures.
struct Slots {
    std::vector<Figure*> figures;
    std::vector<FigureName> names;
    std::size_t shared = 0;

    void add(Catalog& working, const FigureName& name) {
        figures.push_back(&figure_of(working, name));
        names.push_back(name);
    }

    void set(std::span<const double> values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            double& value = figures[i]->value[0];
            value = i < shared ? values[i] : value * values[i];
        }
    }
};

// The forecasts of a curve. Only rows that a changed figure influences are computed again: a derivative changes one
// figure, and most rows use only a few of the thirty figures of a curve.
class CurveSeconds {
public:
    // `used`: the figures that each row depends on. `data` and `forecaster` must outlive this.
    CurveSeconds(const FitDataset& data, const CurveForecaster& forecaster, Slots slots,
                 const std::vector<std::set<FigureName>>& used);

    // ln(forecast / measured) of each row.
    void fill_errors(std::span<const double> values, std::span<double> errors);

private:
    const FitDataset* data_;
    const CurveForecaster* forecaster_;
    Slots slots_;
    std::vector<std::vector<bool>> takes_;  // by row and parameter: whether the row uses it
    std::vector<double> base_, seconds_;
};

// How many constants the fit has, and on how many independent observations they rest. fitted_constants: the figures of
// the catalogue that a curve of the data reads, all of which the fit frees. fit_cells: the cells of the data, each the
// curves of one site and group in one regime, which the fit counts as one observation. constants_below_three_cells:
// constants that fewer than three cells read; constants_below_three_cells_several_sites: those of them whose cells are
// not of one site, so that their evidence does not say "one site".
std::vector<NamedFigure> fit_size_figures(const Catalog& catalog, const std::vector<FitDataset>& data,
                                          FabricCache& cache);

}  // namespace fabricast::inline calibration
