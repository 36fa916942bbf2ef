#include "validate/calibration/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/percentile.hpp"
#include "base/text.hpp"
#include "base/text_lines.hpp"
#include "validate/calibration/agreeing_figures.hpp"
#include "validate/calibration/calibrated_curves.hpp"
#include "validate/calibration/told_figures.hpp"

namespace fabricast::inline calibration {
namespace {

// A row is an outlier if |ln(measured / forecast)| exceeds this number of robust standard deviations.
constexpr double outlier = 5;

// The figures to fit: all that the data use, or `only` these of them.
std::set<FigureName> asked_figures(const std::vector<CalibratedCurve>& curves, const std::vector<FigureName>& only) {
    std::set<FigureName> used;
    for (const CalibratedCurve& curve : curves) { used.insert(curve.used.begin(), curve.used.end()); }
    if (only.empty()) { return used; }
    std::set<FigureName> wanted;
    for (const FigureName& name : only) {
        if (!used.contains(name)) {
            throw UnderDetermined(error_message("under-determined: no row of these data depends on", shown(name),
                                                listed(used), nearest_word(name, {used.begin(), used.end()})));
        }
        wanted.insert(name);
    }
    return wanted;
}

// How far each fitted row lies from the median of the errors of five of its curve, itself in their middle: rows that
// all are as slow are a misfit, and none of them an outlier.
std::vector<double> errors_beside_others(const std::vector<CalibratedRow*>& fitted) {
    constexpr std::ptrdiff_t beside = 2;
    std::vector<double> errors;
    const auto error = [](const CalibratedRow* row) { return std::log(row->measured / row->after); };
    for (auto row = fitted.begin(); row != fitted.end(); ++row) {
        std::vector<double> around;
        const auto end = row + std::min(beside + 1, fitted.end() - row);
        for (auto other = row - std::min(beside, row - fitted.begin()); other != end; ++other) {
            if ((*other)->dataset == (*row)->dataset) { around.push_back(error(*other)); }
        }
        errors.push_back(error(*row) - *percentile(around, 50));
    }
    return errors;
}

void name_outliers(std::vector<CalibratedRow>& rows) {
    std::vector<CalibratedRow*> fitted;
    for (CalibratedRow& row : rows) {
        if (!row.judged) { fitted.push_back(&row); }
    }
    const std::vector<double> errors = errors_beside_others(fitted);
    std::vector<double> sizes;  // 1.4826 times their median is the robust standard deviation
    for (const double error : errors) { sizes.push_back(std::abs(error)); }
    const double deviation = std::max(1.4826 * percentile(sizes, 50).value_or(0), least_noise);
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        if (std::abs(errors[i]) <= outlier * deviation) { continue; }
        fitted[i]->dropped =
            fmt::format("an outlier: {} than the rows around it tell", errors[i] > 0 ? "slower" : "faster");
    }
}

void add_rows(const Catalog& before, const Catalog& after, const std::vector<CalibratedCurve>& curves,
              FabricCache& cache, Calibration& out) {
    for (const CalibratedCurve& curve : curves) {
        const FitDataset& data = *curve.data;
        const CurveForecaster old_forecast(data.scenario, cache.at(data.scenario), before);
        const CurveForecaster new_forecast(data.scenario, cache.at(data.scenario), after);
        const std::set<std::size_t> fitted(curve.fitted.begin(), curve.fitted.end());
        for (std::size_t i = 0; i < data.sizes.size(); ++i) {
            out.rows.push_back({data.id, data.sizes[i], data.seconds[i], old_forecast.seconds(data.sizes[i]),
                                new_forecast.seconds(data.sizes[i]), !fitted.contains(i), ""});
        }
    }
    name_outliers(out.rows);
    std::map<Regime, std::vector<double>> ratios;
    for (const CalibratedRow& row : out.rows) {
        if (row.judged) { ratios[regime_of(row.size)].push_back(row.measured / row.after); }
    }
    for (const auto& [regime, list] : ratios) {
        out.judged[regime] = {std::min(1.0, *percentile(list, 10)), std::max(1.0, *percentile(list, 90))};
    }
}

bool same_rows(const FitDataset& a, const FitDataset& b) {
    return !a.sizes.empty() && a.sizes == b.sizes && a.seconds == b.seconds &&
           collective_of(a.scenario).collective == collective_of(b.scenario).collective;
}

}  // namespace

std::vector<FitDataset> fit_data(const std::vector<Measurement>& measurements, const Catalog& catalog,
                                 FabricCache& cache, const std::optional<Scenario>& scenario,
                                 const std::function<void(const Comparison&)>& told) {
    std::vector<FitDataset> data;
    for (const Measurement& measurement : measurements) {
        const Comparison comparison = compare(measurement, catalog, cache, scenario);
        if (told) { told(comparison); }
        data.push_back(fit_dataset(comparison));
        for (std::size_t before = 0; before + 1 < data.size(); ++before) {
            const bool rows = same_rows(data[before], data.back());
            if (rows || measurement.id == measurements[before].id) {
                refuse(measurement.place,
                       rows ? "the same rows as another measurement" : "another measurement has this id",
                       measurement.id,
                       fmt::format("each measurement once; {} has '{}'", measurements[before].file,
                                   measurements[before].id));
            }
        }
    }
    std::erase_if(data, [](const FitDataset& d) { return d.sizes.empty(); });
    return data;
}

Catalog with_calibration(const Catalog& catalog, const Calibration& calibration) {
    std::map<FigureName, FittedValue> figures;
    for (const CalibratedFigure& figure : calibration.figures) { figures[figure.name] = figure.fitted; }
    return with_figures(catalog, figures);
}

Calibration calibrate(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
                      const std::vector<FigureName>& only) {
    const std::vector<CalibratedCurve> curves = calibrated_curves(data, catalog, cache);
    const std::set<FigureName> free = asked_figures(curves, only);
    std::size_t rows = 0;
    for (const CalibratedCurve& curve : curves) { rows += curve.fitted.size(); }
    if (rows < 3) {
        throw UnderDetermined(
            fmt::format("under-determined: {} rows cannot tell {} (accepted: at least 6 sizes, of "
                        "which every other is fitted)",
                        rows, listed(free)));
    }
    Calibration out;
    const auto [last, kept] = only.empty() ? agreeing_figures(catalog, curves, free, cache)
                                           : told_figures(catalog, curves, free, cache, Freedom::named);
    out.kept = kept;
    for (const auto& [name, fitted] : last) {
        const Figure& before = figure_of(catalog, name);
        CalibratedFigure figure{name, before.unit, before.value.at(0), fitted};
        for (const CalibratedCurve& curve : curves) {
            if (curve.used.contains(name)) { figure.fitted.datasets.insert(curve.data->id); }
        }
        out.figures.push_back(std::move(figure));
    }
    add_rows(catalog, with_calibration(catalog, out), curves, cache, out);
    return out;
}

}  // namespace fabricast::inline calibration
