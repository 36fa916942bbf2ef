#include "validate/calibration/fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <tuple>

#include "sim/io/units.hpp"
#include "validate/embedded.hpp"

namespace fabricast {
namespace {

constexpr double widest = 12.182493960703473;  // e^2.5

Figure& figure_of(Catalog& catalog, const FigureName& name) {
    const std::size_t slash = name.find('/');
    return catalog.parts.at(name.substr(0, slash)).figures.at(name.substr(slash + 1));
}

const Prior& prior_of(const std::vector<Prior>& priors, const FigureName& name) {
    const auto found = std::ranges::find_if(priors, [&](const Prior& p) { return glob_matches(p.match, name); });
    if (found == priors.end()) {
        throw CatalogError("fitted figure '" + name + "' has no prior in validate/calibration/priors.yaml");
    }
    return *found;
}

std::vector<FitParameter> parameters_of(const std::set<FigureName>& free, const std::vector<Prior>& priors) {
    std::vector<FitParameter> parameters;
    for (const FigureName& name : free) {
        const Prior& prior = prior_of(priors, name);
        const double low = prior.low > 0 ? prior.low : prior.value / widest;
        const double high = prior.high > 0 ? prior.high : prior.value * widest;
        parameters.push_back({name, prior.value, prior.value, prior.spread, low, high});
    }
    return parameters;
}

// A site's curves of one group of systems, in a regime: one observation, however many rows tell of it.
using Cell = std::tuple<std::string, SystemGroup, Regime>;

std::map<Cell, double> rows_of_cells(const std::vector<FitDataset>& data, const std::vector<std::size_t>& chosen) {
    std::map<Cell, double> rows;
    for (const std::size_t d : chosen) {
        for (const Bytes size : data[d].sizes) {
            rows[{data[d].site, data[d].group, regime_of(size)}] += 1;
        }
    }
    return rows;
}

std::vector<double> weights_of(const FitDataset& dataset, const std::map<Cell, double>& rows) {
    std::vector<double> weights;
    for (const Bytes size : dataset.sizes) {
        weights.push_back(1 / std::sqrt(rows.at({dataset.site, dataset.group, regime_of(size)})));
    }
    return weights;
}

}  // namespace

std::vector<Prior> parse_priors(std::string_view text, const std::string& file) {
    const yaml::Node root = yaml::parse(text, file);
    root.allow({"priors"});
    std::vector<Prior> priors;
    const auto quantity = [](const yaml::Node& node, std::string_view key) {
        const yaml::Node* member = node.get(key);
        if (member == nullptr) {
            return 0.0;
        }
        const bool ratio = member->is_scalar() && member->text.find(' ') == std::string::npos;
        return ratio ? member->as_double() : as_quantity(*member).value;
    };
    for (const yaml::Node& node : root.required("priors").items()) {
        node.allow({"match", "value", "spread", "low", "high"});
        priors.push_back({node.required("match").as_string(), quantity(node, "value"),
                          node.required("spread").as_double(), quantity(node, "low"), quantity(node, "high")});
        if (priors.back().value <= 0) {
            node.fail("a prior is above zero");
        }
    }
    return priors;
}

const std::vector<Prior>& builtin_priors() {
    static const std::vector<Prior> priors = parse_priors(embedded_priors(), "validate/calibration/priors.yaml");
    return priors;
}

Catalog with_figures(Catalog catalog, const std::map<FigureName, FittedValue>& figures) {
    for (const auto& [name, fitted] : figures) {
        Figure& figure = figure_of(catalog, name);
        figure.value = {fitted.value};
        figure.low80 = fitted.low80;
        figure.high80 = fitted.high80;
    }
    return catalog;
}

Fitter::Fitter(const Catalog& catalog, const std::vector<FitDataset>& data, const std::vector<Prior>& priors,
               FabricCache& cache, const FitOptions& options)
    : catalog_(catalog), data_(data), priors_(priors), cache_(cache), options_(options) {
    for (const FitDataset& dataset : data_) {
        std::set<FigureName>& used = used_.emplace_back();
        const CurveForecaster forecaster(dataset.scenario, cache_.at(dataset.scenario), catalog_);
        for (const Bytes size : dataset.sizes) {
            const std::vector<std::string> costs = forecaster.at(size).costs;
            used.insert(costs.begin(), costs.end());
        }
    }
}

void Fitter::fit_stage(const std::vector<std::size_t>& chosen, const std::set<FigureName>& free,
                       FitResult& result) const {
    if (free.empty() || chosen.empty()) {
        return;
    }
    const std::vector<FitParameter> parameters = parameters_of(free, priors_);
    Catalog working = with_figures(catalog_, result.figures);
    for (const FitParameter& p : parameters) {
        figure_of(working, p.name).value = {p.start};
    }
    const std::map<Cell, double> rows = rows_of_cells(data_, chosen);
    std::vector<FitCurve> curves;
    double observations = 0;
    for (const std::size_t d : chosen) {
        const FitDataset& dataset = data_[d];
        FitCurve curve;
        std::vector<Figure*> figures;
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            if (used_[d].contains(parameters[p].name)) {
                curve.parameters.push_back(p);
                figures.push_back(&figure_of(working, parameters[p].name));
                result.datasets[parameters[p].name].insert(dataset.id);
            }
        }
        if (figures.empty()) {
            continue;
        }
        curve.weights = weights_of(dataset, rows);
        for (const double w : curve.weights) {
            observations += w * w;
        }
        const auto forecaster =
            std::make_shared<const CurveForecaster>(dataset.scenario, cache_.at(dataset.scenario), working);
        curve.errors = [&dataset, forecaster, figures](std::span<const double> values, std::span<double> errors) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                figures[i]->value[0] = values[i];
            }
            for (std::size_t i = 0; i < errors.size(); ++i) {
                errors[i] = std::log(forecaster->seconds(dataset.sizes[i]) / dataset.seconds[i]);
            }
            return true;
        };
        curves.push_back(std::move(curve));
    }
    const FitOutcome outcome = robust_fit(parameters, curves, observations, options_);
    result.cost_before += outcome.cost_before;
    result.cost_after += outcome.cost_after;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        result.figures[parameters[p].name] = outcome.values[p];
    }
}

FitResult Fitter::fit_all(const std::string& without) const {
    FitResult result;
    for (const bool network : {false, true}) {
        std::vector<std::size_t> chosen;
        std::set<FigureName> free;
        for (std::size_t d = 0; d < data_.size(); ++d) {
            if ((data_[d].scenario.cluster.nodes > 1) == network && data_[d].site != without) {
                chosen.push_back(d);
                std::ranges::copy_if(used_[d], std::inserter(free, free.end()),
                                     [&](const FigureName& name) { return !result.figures.contains(name); });
            }
        }
        fit_stage(chosen, free, result);
    }
    return result;
}

FitResult Fitter::fit_without(const std::string& site, const FitResult& base) const {
    std::set<FigureName> moved;
    for (std::size_t d = 0; d < data_.size(); ++d) {
        if (data_[d].site == site) {
            moved.insert(used_[d].begin(), used_[d].end());
        }
    }
    FitResult result = base;
    for (const FigureName& name : moved) {
        // What no other site tells goes back to what was known before any data.
        const Prior& prior = prior_of(priors_, name);
        result.figures[name] = {prior.value, prior.value, prior.value};
        result.datasets[name].clear();
    }
    std::set<FigureName> left = moved;
    for (const bool network : {false, true}) {
        std::vector<std::size_t> chosen;
        std::set<FigureName> free;
        for (std::size_t d = 0; d < data_.size(); ++d) {
            if ((data_[d].scenario.cluster.nodes > 1) != network || data_[d].site == site) {
                continue;
            }
            std::set<FigureName> shared;
            std::ranges::set_intersection(used_[d], left, std::inserter(shared, shared.end()));
            if (!shared.empty()) {
                chosen.push_back(d);
                free.insert(shared.begin(), shared.end());
            }
        }
        fit_stage(chosen, free, result);
        std::erase_if(left, [&](const FigureName& name) { return free.contains(name); });
    }
    return result;
}

}  // namespace fabricast
