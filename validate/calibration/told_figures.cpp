#include "validate/calibration/told_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/percentile.hpp"
#include "validate/score/compared_row.hpp"

namespace fabricast::inline calibration {
namespace {

// The relative error from which the robust loss flattens, and the weight of the catalogue's values as priors. A pilot's
// figures are to hold for other node counts and collectives too, so the catalogue counts for much, unless the user
// names the figures to fit.
constexpr FitOptions pilot_options{.scale = 0.05, .lambda = 0.5, .iterations = 40};
constexpr FitOptions named_options{.scale = 0.03, .lambda = 0.05, .iterations = 40};
// A figure counts as determined if the data narrow its prior spread (of ln x) to this share or less: one that the user
// names must be told by itself. Otherwise several figures may each tell a little of the same rows, and keeping all but
// one of them would lay on that one what they share.
constexpr double told_by_itself = 0.7, told_beside_others = 0.9;

// How far a site's figure lies from its kind's, as a standard deviation of ln x, when the kind's is known exactly.
constexpr double between_sites = 0.2;
// How far a pilot may move what NCCL's kernels cost, which is the same on every site with this GPU and release: one
// site's misfit is rather its transport's, its host's or the model's. What NCCL's threads on the host cost is the
// host's.
constexpr double kernel_spread = 0.1;

// How far a pilot may move a figure, as a standard deviation of ln x: what other sites leave open, and what sites
// differ by.
double site_spread(const FigureName& name, const Prior& prior, const Catalog& catalog, Freedom freedom) {
    if (prior.site > 0) { return freedom == Freedom::links ? prior.spread : prior.site; }
    const Figure& figure = figure_of(catalog, name);
    double spread = prior.spread;
    if (figure.low80 > 0 && figure.high80 > figure.low80) {
        const double open = deviation_of({figure.value.at(0), figure.low80, figure.high80});
        spread = std::min(spread, std::hypot(open, between_sites));
    }
    const bool kernel = catalog.parts.at(part_of(name)).kind == "kernel" && !prior.host;
    return kernel ? std::min(spread, kernel_spread) : spread;
}

// Which figures a fit frees, and how far: with Freedom::links what an adapter carries of its rate may be less than its
// kind's by `slower` (of ln x), and is taken to be so at first, for it binds nothing where it is not.
struct Limits {
    Freedom freedom;
    double slower = 0;
};

// The prior of a figure: the value in the catalogue, with bounds and spread from priors.yaml, which knows no site; of a
// figure that the user does not name, no more than sites differ by.
FitParameter parameter_of(const FigureName& name, const Catalog& catalog, const Limits& limits) {
    const Prior* found = prior_of(name);
    Prior prior = found ? *found : Prior{};
    if (limits.freedom != Freedom::named) { prior.spread = site_spread(name, prior, catalog, limits.freedom); }
    FitParameter parameter = parameter_at(std::max(figure_of(catalog, name).value.at(0), 1e-12), name, prior);
    if (limits.freedom == Freedom::links && prior.site > 0) {
        parameter.start *= std::exp(limits.slower);
        parameter.high *= std::exp(limits.slower);
    }
    return parameter;
}

FitCurve fit_curve(const CalibratedCurve& curve, const std::vector<FitParameter>& parameters, Catalog& working,
                   FabricCache& cache) {
    FitCurve out;
    std::vector<Figure*> figures;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (curve.used.contains(parameters[p].name)) {
            out.parameters.push_back(p);
            figures.push_back(&figure_of(working, parameters[p].name));
        }
    }
    const FitDataset& data = *curve.data;
    out.weights = curve.weights;
    const auto forecaster = std::make_shared<const CurveForecaster>(data.scenario, cache.at(data.scenario), working);
    out.errors = [&curve, &data, forecaster, figures](std::span<const double> values, std::span<double> errors) {
        for (std::size_t i = 0; i < values.size(); ++i) { figures[i]->value[0] = values[i]; }
        double seconds = 0;
        for (std::size_t i = 0; i < errors.size(); ++i) {
            const std::size_t row = curve.fitted[i];
            if (i == 0 || data.sizes[row] != data.sizes[curve.fitted[i - 1]]) {
                seconds = forecaster->seconds(data.sizes[row]);
            }
            errors[i] = std::log(seconds / data.seconds[row]);
        }
    };
    return out;
}

// The figures as fitted, and how much of what was unknown of each is left: posterior spread / prior spread.
struct Attempt {
    std::map<FigureName, FittedValue> figures;
    std::map<FigureName, double> left;
};

Attempt attempt(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, const std::set<FigureName>& free,
                FabricCache& cache, const Limits& limits) {
    std::vector<FitParameter> parameters;
    for (const FigureName& name : free) { parameters.push_back(parameter_of(name, catalog, limits)); }
    Catalog working = catalog;
    std::vector<FitCurve> parts;
    double rows = 0;
    for (const CalibratedCurve& curve : curves) {
        FitCurve part = fit_curve(curve, parameters, working, cache);
        if (part.parameters.empty() || part.weights.empty()) { continue; }
        if (limits.freedom != Freedom::named) { part.weights = correlated_weights(curve); }
        rows += static_cast<double>(part.weights.size());
        parts.push_back(std::move(part));
    }
    const std::vector<FittedValue> values =
        robust_fit(parameters, {}, parts, rows, limits.freedom == Freedom::named ? named_options : pilot_options)
            .values;
    Attempt result;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        result.figures[parameters[p].name] = values[p];
        result.left[parameters[p].name] = deviation_of(values[p]) / parameters[p].spread;
    }
    return result;
}

// Each round fits fewer figures, until the data tell all that are left.
Told told_with(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, std::set<FigureName> free,
               FabricCache& cache, const Limits& limits) {
    const bool named = limits.freedom == Freedom::named;
    const double told = named ? told_by_itself : told_beside_others;
    Told told_so_far;
    for (;;) {
        Attempt last = attempt(catalog, curves, free, cache, limits);
        std::vector<KeptFigure> open;
        for (const auto& [name, left] : last.left) {
            if (left > told) { open.push_back({name, left}); }
        }
        // Figures that could each explain the same rows are all untold as long as all are free: the least told quarter
        // goes first.
        std::ranges::stable_sort(open, std::ranges::greater{}, &KeptFigure::narrowed);
        open.resize(named ? open.size() : (open.size() + 3) / 4);
        told_so_far.kept.insert(told_so_far.kept.end(), open.begin(), open.end());
        std::set<FigureName> untold;
        for (const KeptFigure& figure : open) { untold.insert(figure.name); }
        if (named && !untold.empty()) {
            throw UnderDetermined("under-determined: these data do not tell " + listed(untold));
        }
        for (const FigureName& name : untold) { free.erase(name); }
        if (free.empty()) { throw UnderDetermined("under-determined: these data tell none of " + listed(untold)); }
        if (untold.empty()) {
            told_so_far.fit = std::move(last.figures);
            return told_so_far;
        }
    }
}

// How much slower than forecast the large messages are that are fitted: the median of ln(measured / forecast).
double slower_by(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, FabricCache& cache) {
    std::vector<double> errors;
    for (const CalibratedCurve& curve : curves) {
        const FitDataset& data = *curve.data;
        const CurveForecaster forecaster(data.scenario, cache.at(data.scenario), catalog);
        for (const std::size_t row : curve.fitted) {
            if (regime_of(data.sizes[row]) != Regime::large) { continue; }
            errors.push_back(std::log(data.seconds[row] / forecaster.seconds(data.sizes[row])));
        }
    }
    return percentile(errors, 50).value_or(0);
}

}  // namespace

std::string listed(const std::set<FigureName>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// Adapters of one kind carry the same share of their rate, but a few sites lose a sixth of it and more (two directions
// at once on a busy root complex, a bad cable). That is believed where large messages stay so slow whatever else is
// fitted.
Told told_figures(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, const std::set<FigureName>& free,
                  FabricCache& cache, Freedom freedom) {
    const bool shared = std::ranges::any_of(free, [](const FigureName& name) {
        const Prior* prior = prior_of(name);
        return prior != nullptr && prior->site > 0;
    });
    if (freedom != Freedom::usual || !shared) { return told_with(catalog, curves, free, cache, {freedom}); }
    constexpr double lost = 0.15;
    double slower = 0;
    try {
        Told usual = told_with(catalog, curves, free, cache, {freedom});
        slower = slower_by(with_figures(catalog, usual.fit), curves, cache);
        if (slower <= lost) { return usual; }
    } catch (const UnderDetermined&) {
        slower = slower_by(catalog, curves, cache);
        if (slower <= lost) { throw; }
    }
    return told_with(catalog, curves, free, cache, {Freedom::links, slower});
}

}  // namespace fabricast::inline calibration
