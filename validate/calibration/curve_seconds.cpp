#include "validate/calibration/curve_seconds.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricast::inline calibration {

FitDataset fit_dataset(const Comparison& c, std::size_t step, const std::set<Regime>& unexplained) {
    FitDataset dataset{c.id, c.id, c.id, c.derived.group, c.derived.scenario, {}, {}};
    for (std::size_t i = 0; i < c.sizes.size(); i += step) {
        if (c.sizes[i].counts() && !unexplained.contains(regime_of(c.sizes[i].measured.size))) {
            dataset.sizes.push_back(c.sizes[i].measured.size);
            dataset.seconds.push_back(c.sizes[i].measured.seconds);
        }
    }
    return dataset;
}

CurveSeconds::CurveSeconds(const FitDataset& data, const CurveForecaster& forecaster, Slots slots,
                           const std::vector<std::set<FigureName>>& used)
    : data_(&data), forecaster_(&forecaster), slots_(std::move(slots)), seconds_(used.size()) {
    for (const std::set<FigureName>& row : used) {
        std::vector<bool>& takes = takes_.emplace_back();
        for (const FigureName& name : slots_.names) { takes.push_back(row.contains(name)); }
    }
}

void CurveSeconds::fill_errors(std::span<const double> values, std::span<double> errors) {
    const bool first = base_.empty();
    std::vector<std::size_t> changed;
    for (std::size_t p = 0; p < values.size(); ++p) {
        if (first || values[p] != base_[p]) { changed.push_back(p); }
    }
    // One changed value is a derivative, after which the solver returns to the base values.
    const bool stays = first || changed.size() > 1;
    slots_.set(values);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const bool moved = first || std::ranges::any_of(changed, [&](std::size_t p) { return takes_[i][p]; });
        const double seconds = moved ? forecaster_->seconds(data_->sizes[i]) : seconds_[i];
        seconds_[i] = stays ? seconds : seconds_[i];
        errors[i] = std::log(seconds / data_->seconds[i]);
    }
    if (stays) { base_.assign(values.begin(), values.end()); }
}

std::vector<NamedFigure> fit_size_figures(const Catalog& catalog, const std::vector<FitDataset>& data,
                                          FabricCache& cache) {
    std::set<FitCell> cells;
    std::map<FigureName, std::set<FitCell>> readers;
    for (const FitDataset& dataset : data) {
        const CurveForecaster forecaster(dataset.scenario, cache.at(dataset.scenario), catalog);
        for (const Bytes size : dataset.sizes) {
            const FitCell cell{dataset.site, dataset.group, regime_of(size)};
            cells.insert(cell);
            for (const FigureName& name : forecaster.at(size).costs) { readers[name].insert(cell); }
        }
    }
    double few = 0, of_several = 0;
    for (const auto& [name, list] : readers) {
        constexpr std::size_t enough = 3;
        std::set<std::string> sites;
        for (const auto& [site, group, regime] : list) { sites.insert(site); }
        few += list.size() < enough ? 1 : 0;
        of_several += list.size() < enough && sites.size() > 1 ? 1 : 0;
    }
    return {{"fitted_constants", static_cast<double>(readers.size()), "constants"},
            {"fit_cells", static_cast<double>(cells.size()), "cells"},
            {"constants_below_three_cells", few, "constants"},
            {"constants_below_three_cells_several_sites", of_several, "constants"}};
}

}  // namespace fabricast::inline calibration
