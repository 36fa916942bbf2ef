#include "validate/calibration/agreeing_figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <compare>
#include <map>
#include <utility>

#include "validate/score/errors.hpp"

namespace fabricast::inline calibration {
namespace {

// A cell counts as forecast worse if its mean |ln(forecast / measured)| grows by more: what is tolerated of a site that
// a pilot is judged on (pilots.cpp), too.
constexpr double tolerated_growth = 0.02;

struct DataCell {
    Collective collective;
    std::uint32_t nodes;
    Regime regime;
    auto operator<=>(const DataCell&) const = default;
};

std::string to_text(const DataCell& cell) {
    return fmt::format("{} on {} node{}, {}", to_string(cell.collective), cell.nodes, cell.nodes == 1 ? "" : "s",
                       sizes_of(cell.regime));
}

DataCell cell_of(const CalibratedCurve& curve, std::size_t row) {
    const Scenario& scenario = curve.data->scenario;
    return {collective_of(scenario).collective, scenario.cluster.nodes, regime_of(curve.data->sizes[row])};
}

// The curves with those fitted rows only that are in the cell, or outside it.
std::vector<CalibratedCurve> rows_of(std::vector<CalibratedCurve> curves, const DataCell& cell, bool inside) {
    for (CalibratedCurve& curve : curves) {
        const auto all = std::exchange(curve.fitted, {});
        const auto weights = std::exchange(curve.weights, {});
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((cell_of(curve, all[i]) == cell) == inside) {
                curve.fitted.push_back(all[i]);
                curve.weights.push_back(weights[i]);
            }
        }
    }
    std::erase_if(curves, [](const CalibratedCurve& curve) { return curve.fitted.empty(); });
    return curves;
}

double mean_miss(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, FabricCache& cache) {
    double sum = 0, rows = 0;
    for (const CalibratedCurve& curve : curves) {
        const FitDataset& data = *curve.data;
        const CurveForecaster forecaster(data.scenario, cache.at(data.scenario), catalog);
        for (const std::size_t row : curve.fitted) {
            sum += std::abs(std::log(forecaster.seconds(data.sizes[row]) / data.seconds[row]));
            rows += 1;
        }
    }
    return sum / rows;
}

struct Contradiction {
    double growth = 0;  // of the error of the cell that suffers most
    std::string cell;
};

// Which cell a fit of these figures forecasts worse than the catalogue does: a fit of all data, or of all without it.
Contradiction contradiction(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, const Told& told,
                            FabricCache& cache) {
    std::map<DataCell, std::size_t> cells;
    for (const CalibratedCurve& curve : curves) {
        for (const std::size_t row : curve.fitted) { ++cells[cell_of(curve, row)]; }
    }
    std::set<FigureName> figures;
    for (const FitParameter& parameter : told.fit.parameters) { figures.insert(parameter.name); }
    Contradiction worst;
    for (const auto& [cell, rows] : cells) {
        if (cells.size() < 2 || rows < 2) { continue; }  // a single row judges nothing
        const std::vector<CalibratedCurve> judges = rows_of(curves, cell, true);
        const double before = mean_miss(catalog, judges, cache);
        double after = mean_miss(catalog_with(catalog, told.fit), judges, cache);
        try {
            const Told rest = told_figures(catalog, rows_of(curves, cell, false), figures, cache, Freedom::usual);
            after = std::max(after, mean_miss(catalog_with(catalog, rest.fit), judges, cache));
        } catch (const UnderDetermined&) {}  // the rest tells none of them: it leaves the catalogue as it is
        if (after - before > worst.growth) { worst = {after - before, to_text(cell)}; }
    }
    return worst;
}

}  // namespace

Told agreeing_figures(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, std::set<FigureName> free,
                      FabricCache& cache) {
    struct Choice {
        Told told;
        Contradiction against;
    };
    const auto chosen = [&](const std::set<FigureName>& figures) {
        Choice choice{told_figures(catalog, curves, figures, cache, Freedom::usual), {}};
        choice.against = contradiction(catalog, curves, choice.told, cache);
        return choice;
    };
    Choice best = chosen(free);
    std::vector<KeptFigure> kept = best.told.kept, contradicted;
    while (best.against.growth > tolerated_growth) {
        // Without the figure whose absence leaves the least contradiction.
        const std::string against = best.against.cell;
        const Attempt fit = best.told.fit;
        std::optional<Choice> least;
        std::size_t left_out = 0;
        for (std::size_t p = 0; p < fit.parameters.size(); ++p) {
            std::set<FigureName> others;
            for (const FitParameter& other : fit.parameters) { others.insert(other.name); }
            others.erase(fit.parameters[p].name);
            if (others.empty()) { break; }
            try {
                Choice without = chosen(others);
                if (!least || without.against.growth < least->against.growth) {
                    least = std::move(without);
                    left_out = p;
                }
            } catch (const UnderDetermined&) {}
        }
        contradicted.push_back({fit.parameters[left_out].name, fit.narrowed(left_out), against});
        if (!least) {
            throw UnderDetermined("under-determined: these data contradict themselves about " +
                                  contradicted.back().name + ": fitted, it makes the forecast of " + against +
                                  " worse than the catalogue's");
        }
        best = std::move(*least);
        kept.insert(kept.end(), best.told.kept.begin(), best.told.kept.end());
    }
    kept.insert(kept.end(), contradicted.begin(), contradicted.end());
    best.told.kept = std::move(kept);
    return std::move(best.told);
}

}  // namespace fabricast::inline calibration
