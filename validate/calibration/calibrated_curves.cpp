#include "validate/calibration/calibrated_curves.hpp"

#include <cmath>
#include <map>
#include <string>

#include "validate/score/compared_row.hpp"

namespace fabricast::inline calibration {

namespace {

// The share of the variance of ln(measured / forecast) over curves between nodes that their rows of one regime have in
// common, for forecasts by a fit without the site: 0.92 below 64 KiB, 0.81 to 16 MiB, 0.66 above.
constexpr double shared_by_rows = 0.8;

void weigh(std::vector<CalibratedCurve>& curves) {
    struct Rows {
        double all = 0;
        std::map<const CalibratedCurve*, double> of_curve;
    };
    std::map<Regime, Rows> rows;
    const auto rows_beside = [&](const CalibratedCurve& curve, std::size_t row) -> Rows& {
        return rows[regime_of(curve.data->sizes[row])];
    };
    for (const CalibratedCurve& curve : curves) {
        for (const std::size_t row : curve.fitted) {
            Rows& beside = rows_beside(curve, row);
            ++beside.all;
            ++beside.of_curve[&curve];
        }
    }
    for (CalibratedCurve& curve : curves) {
        for (const std::size_t row : curve.fitted) {
            const Rows& beside = rows_beside(curve, row);
            const auto several = static_cast<double>(beside.of_curve.size());
            curve.weights.push_back(std::sqrt(beside.all / several / beside.of_curve.at(&curve)));
        }
    }
}

}  // namespace

std::vector<double> correlated_weights(const CalibratedCurve& curve) {
    std::map<Regime, double> rows;
    for (const std::size_t row : curve.fitted) { rows[regime_of(curve.data->sizes[row])] += 1; }
    std::vector<double> weights = curve.weights;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] /= std::sqrt(1 + (rows.at(regime_of(curve.data->sizes[curve.fitted[i]])) - 1) * shared_by_rows);
    }
    return weights;
}

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
