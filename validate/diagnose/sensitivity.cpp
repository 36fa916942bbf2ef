#include "validate/diagnose/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "validate/curves/cost_figure.hpp"

namespace fabricast::inline diagnosis {
namespace {

constexpr double width80 = 2.5631031310892007;  // width of the 80 % interval of a standard normal distribution
constexpr double widest = 1;                    // a step of more than a factor of e says nothing about the slope

// One standard deviation of ln(figure); 0 if it has no interval.
double deviation(const Figure& figure) {
    if (figure.low80 <= 0 || figure.high80 <= figure.low80) { return 0; }
    return std::min(std::log(figure.high80 / figure.low80) / width80, widest);
}

}  // namespace

std::vector<double> curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    const Fabric fabric(suspect.cluster);
    const CurveForecaster forecaster(suspect.scenario, fabric, catalog);
    std::vector<double> seconds;
    for (const TimedRow& row : rows) { seconds.push_back(forecaster.seconds(row.size)); }
    return seconds;
}

UncertainCurve uncertain_curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    Catalog working = catalog;
    const Fabric fabric(suspect.cluster);
    const CurveForecaster forecaster(suspect.scenario, fabric, working);
    UncertainCurve result;
    std::set<std::string> used;
    for (const TimedRow& row : rows) {
        const ForecastRow& forecast = result.rows.emplace_back(forecaster.at(row.size));
        result.seconds.push_back(forecast.seconds);
        used.insert(forecast.costs.begin(), forecast.costs.end());
    }
    for (const std::string& name : used) {
        Figure& figure = figure_of(working, name);
        const double step = deviation(figure);
        if (step <= 0) { continue; }
        const double before = figure.value[0];
        figure.value[0] = before * std::exp(step);
        std::vector<double> moved;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            moved.push_back(std::log(forecaster.seconds(rows[i].size) / result.seconds[i]));
        }
        figure.value[0] = before;
        result.constants.push_back(std::move(moved));
    }
    return result;
}

}  // namespace fabricast::inline diagnosis
