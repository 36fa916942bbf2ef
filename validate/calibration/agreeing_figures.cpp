#include "validate/calibration/agreeing_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "validate/score/errors.hpp"

namespace fabricast::inline calibration {
namespace {

// A share counts as forecast worse if its mean |ln(forecast / measured)| grows by more: what is tolerated of a site
// that a pilot is judged on (pilots.cpp), too.
constexpr double tolerated_growth = 0.02;

// Each trial is a fit of all rows, and there are dozens: what a pilot has takes seconds, ten times as much minutes.
constexpr std::size_t most_rows_of_pilot = 60;

// What may be left out of the data at once: a collective, a number of nodes, or a regime of size.
using Share = std::variant<Collective, std::uint32_t, Regime>;

std::array<Share, 3> shares_of(const CalibratedCurve& curve, std::size_t row) {
    const Scenario& scenario = curve.data->scenario;
    return {collective_of(scenario).collective, scenario.cluster.nodes, regime_of(curve.data->sizes[row])};
}

bool is_of(const CalibratedCurve& curve, std::size_t row, const Share& share) {
    const auto shares = shares_of(curve, row);
    return std::ranges::find(shares, share) != shares.end();
}

std::string to_text(const Share& share) {
    if (const auto* nodes = std::get_if<std::uint32_t>(&share)) {
        return fmt::format("what was measured on {} node{}", *nodes, *nodes == 1 ? "" : "s");
    }
    const auto* regime = std::get_if<Regime>(&share);
    return regime != nullptr ? std::string(sizes_of(*regime)) : std::string(to_string(std::get<Collective>(share)));
}

// The curves with those fitted rows only that are of this share, or are not.
std::vector<CalibratedCurve> rows_of(std::vector<CalibratedCurve> curves, const Share& share, bool inside) {
    for (CalibratedCurve& curve : curves) {
        const auto all = std::exchange(curve.fitted, {});
        const auto weights = std::exchange(curve.weights, {});
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (is_of(curve, all[i], share) == inside) {
                curve.fitted.push_back(all[i]);
                curve.weights.push_back(weights[i]);
            }
        }
    }
    std::erase_if(curves, [](const CalibratedCurve& curve) { return curve.fitted.empty(); });
    return curves;
}

std::set<FigureName> figures_of(const Told& told) {
    const std::vector<FigureName> names = keys_of(told.fit);
    return {names.begin(), names.end()};
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
    double growth = 0;  // of the errors of all shares together
    std::string share;  // that suffers most; empty: none more than is tolerated

    // What a share loses may be less than what the others gain.
    bool holds() const { return !share.empty() && growth > 0; }
};

// By which fits a share is judged. One without the share is as much work as the fit of all, and there are several.
enum class JudgedBy { fit_of_all, also_without_the_share };

// Which share a fit of these figures forecasts worse than the catalogue does: a fit of all data, or of all without it.
Contradiction contradiction(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, const Told& told,
                            FabricCache& cache, JudgedBy by) {
    std::map<Share, std::size_t> shares;
    std::size_t all = 0;
    for (const CalibratedCurve& curve : curves) {
        for (const std::size_t row : curve.fitted) {
            for (const Share& share : shares_of(curve, row)) { ++shares[share]; }
        }
        all += curve.fitted.size();
    }
    const std::set<FigureName> figures = figures_of(told);
    Contradiction found;
    double most = tolerated_growth;
    for (const auto& [share, rows] : shares) {
        if (rows < 2 || rows == all) { continue; }  // one row judges nothing, and all rows leave nothing to fit
        const std::vector<CalibratedCurve> judges = rows_of(curves, share, true);
        const double before = mean_miss(catalog, judges, cache);
        double after = mean_miss(with_figures(catalog, told.fit), judges, cache);
        if (by == JudgedBy::also_without_the_share) {
            try {
                const Told rest = told_figures(catalog, rows_of(curves, share, false), figures, cache, Freedom::usual);
                after = std::max(after, mean_miss(with_figures(catalog, rest.fit), judges, cache));
            } catch (const UnderDetermined&) {}  // the rest tells none of them: it leaves the catalogue as it is
        }
        found.growth += after - before;
        if (after - before > most) {
            most = after - before;
            found.share = to_text(share);
        }
    }
    return found;
}

// A fit, and what speaks against it.
struct Choice {
    Told told;
    Contradiction against;
};

Choice choice_of(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, const std::set<FigureName>& free,
                 FabricCache& cache, JudgedBy by) {
    Choice choice{told_figures(catalog, curves, free, cache, Freedom::usual), {}};
    choice.against = contradiction(catalog, curves, choice.told, cache, by);
    return choice;
}

// The figures without the one whose absence leaves the least contradiction; nothing if the data tell none of the rest.
std::optional<std::pair<FigureName, Choice>> without_one(const Catalog& catalog,
                                                         const std::vector<CalibratedCurve>& curves,
                                                         const std::set<FigureName>& figures, FabricCache& cache) {
    std::optional<std::pair<FigureName, Choice>> least;
    for (const FigureName& name : figures) {
        std::set<FigureName> others = figures;
        others.erase(name);
        if (others.empty()) { break; }
        try {
            Choice choice = choice_of(catalog, curves, others, cache, JudgedBy::fit_of_all);
            if (!least || choice.against.growth < least->second.against.growth) { least = {name, std::move(choice)}; }
        } catch (const UnderDetermined&) {}
    }
    return least;
}

}  // namespace

Told agreeing_figures(const Catalog& catalog, const std::vector<CalibratedCurve>& curves,
                      const std::set<FigureName>& free, FabricCache& cache) {
    std::size_t rows = 0;
    for (const CalibratedCurve& curve : curves) { rows += curve.fitted.size(); }
    if (rows > most_rows_of_pilot) { return told_figures(catalog, curves, free, cache, Freedom::usual); }
    Choice best = choice_of(catalog, curves, free, cache, JudgedBy::also_without_the_share);
    std::vector<KeptFigure> kept = best.told.kept, contradicted;
    while (best.against.holds()) {
        const std::string against = best.against.share;
        const std::set<FigureName> figures = figures_of(best.told);
        std::optional<std::pair<FigureName, Choice>> less = without_one(catalog, curves, figures, cache);
        if (!less) {
            throw UnderDetermined("under-determined: these data contradict themselves about " + listed(figures) +
                                  ": fitted, it makes the forecast of " + against + " worse than the catalogue's");
        }
        contradicted.push_back({less->first, 1, against});
        best = std::move(less->second);
        best.against = contradiction(catalog, curves, best.told, cache, JudgedBy::also_without_the_share);
        kept.insert(kept.end(), best.told.kept.begin(), best.told.kept.end());
    }
    kept.insert(kept.end(), contradicted.begin(), contradicted.end());
    best.told.kept = std::move(kept);
    return std::move(best.told);
}

}  // namespace fabricast::inline calibration
