#include "validate/calibration/fit_size.hpp"

#include <map>
#include <set>
#include <string>

namespace fabricast::inline calibration {

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
