#include "validate/calibration/calibrated_curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "validate/score/compared_row.hpp"

namespace fabricast::inline calibration {

namespace {

void weigh(std::vector<CalibratedCurve>& curves) {
    std::map<Regime, std::vector<double>> rows;  // of each curve
    for (std::size_t c = 0; c < curves.size(); ++c) {
        for (const std::size_t i : curves[c].fitted) {
            std::vector<double>& of_curves = rows[regime_of(curves[c].data->sizes[i])];
            of_curves.resize(curves.size());
            ++of_curves[c];
        }
    }
    for (std::size_t c = 0; c < curves.size(); ++c) {
        for (const std::size_t i : curves[c].fitted) {
            const std::vector<double>& of_curves = rows.at(regime_of(curves[c].data->sizes[i]));
            const auto with_rows =
                static_cast<double>(curves.size()) - static_cast<double>(std::ranges::count(of_curves, 0.0));
            const double all = std::accumulate(of_curves.begin(), of_curves.end(), 0.0);
            curves[c].weights.push_back(std::sqrt(all / with_rows / of_curves[c]));
        }
    }
}

}  // namespace

std::vector<CalibratedCurve> calibrated_curves(const std::vector<FitDataset>& data, const Catalog& catalog,
                                               FabricCache& cache) {
    std::vector<CalibratedCurve> curves;
    for (const FitDataset& dataset : data) {
        CalibratedCurve curve{&dataset, {}, {}, {}};
        const CurveForecaster forecaster(dataset.scenario, cache.at(dataset.scenario), catalog);
        // Number of the size: rows of one size (from several runs) are all fitted or all judged.
        std::size_t distinct = 0;
        for (std::size_t i = 0; i < dataset.sizes.size(); ++i) {
            if (i == 0 || dataset.sizes[i] != dataset.sizes[i - 1]) {
                ++distinct;
                const std::vector<std::string> costs = forecaster.at(dataset.sizes[i]).costs;
                curve.used.insert(costs.begin(), costs.end());
            }
            if (distinct % 2 == 1) { curve.fitted.push_back(i); }
        }
        curves.push_back(std::move(curve));
    }
    weigh(curves);
    return curves;
}

}  // namespace fabricast::inline calibration
