#include "validate/calibration/fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "validate/calibration/part_similarity.hpp"
#include "validate/import/embedded.hpp"

namespace fabricast::inline calibration {
namespace {

// Hosts differ in launch time: 3.2 to 5.5 us per GPU over the sites that run one process for all GPUs (facts
// nccl-mechanisms.md §3.1), which is about this standard deviation of ln x.
constexpr double host_spread = 0.2;
// How far the mean of a figure over kernel parts may lie from its prior's value, as a standard deviation of ln x.
constexpr double mean_spread = 1.2;

std::vector<Prior> read_priors(const yaml::Node& root) {
    root.allow({"priors"});
    std::vector<Prior> priors;
    const auto quantity = [](const yaml::Node& node, std::string_view key) {
        const yaml::Node* member = node.get(key);
        if (member == nullptr) { return 0.0; }
        const bool ratio = member->is_scalar() && member->text.find(' ') == std::string::npos;
        return ratio ? member->as_double() : as_quantity(*member).value;
    };
    for (const yaml::Node& node : root.required("priors").items()) {
        node.allow({"match", "value", "spread", "low", "high", "site", "host"});
        priors.push_back({node.required("match").as_string(), quantity(node, "value"),
                          node.required("spread").as_double(), quantity(node, "low"), quantity(node, "high")});
        if (const yaml::Node* site = node.get("site")) { priors.back().site = site->as_double(); }
        if (const yaml::Node* host = node.get("host")) { priors.back().host = host->as_bool(); }
        if (priors.back().value <= 0) { node.fail("a prior is above zero"); }
    }
    return priors;
}

FitParameter parameter_of(const FigureName& name) {
    const Prior* prior = prior_of(name);
    if (prior == nullptr) {
        throw CatalogError("fitted figure '" + name + "' has no prior in validate/calibration/priors.yaml");
    }
    return parameter_at(prior->value, name, *prior);
}

// A figure that another fit determined; it only informs similar parts.
FitParameter known_parameter(const FigureName& name, const FittedValue& found) {
    FitParameter parameter = parameter_of(name);
    constexpr double least = 0.02;
    parameter.start = parameter.known = found.value;
    const bool interval = found.low80 > 0 && found.high80 > found.low80;
    parameter.deviation = interval ? std::max(least, deviation_of(found)) : least;
    parameter.low = std::min(parameter.low, found.value / widest_factor);
    parameter.high = std::max(parameter.high, found.value * widest_factor);
    return parameter;
}

std::map<FitCell, double> rows_of_cells(const std::vector<FitDataset>& data, const std::vector<std::size_t>& chosen) {
    std::map<FitCell, double> rows;
    for (const std::size_t d : chosen) {
        for (const Bytes size : data[d].sizes) { rows[{data[d].site, data[d].group, regime_of(size)}] += 1; }
    }
    return rows;
}

std::vector<double> weights_of(const FitDataset& dataset, const std::map<FitCell, double>& rows) {
    std::vector<double> weights;
    for (const Bytes size : dataset.sizes) {
        weights.push_back(1 / std::sqrt(rows.at({dataset.site, dataset.group, regime_of(size)})));
    }
    return weights;
}

}  // namespace

const std::vector<Prior>& builtin_priors() {
    static const std::vector<Prior> priors = read_priors(embedded_tree("validate/calibration/priors.yaml"));
    return priors;
}

const Prior* prior_of(const FigureName& name) {
    const std::vector<Prior>& priors = builtin_priors();
    const auto found = std::ranges::find_if(priors, [&](const Prior& p) { return glob_matches(p.match, name); });
    return found == priors.end() ? nullptr : &*found;
}

FitParameter parameter_at(double value, const FigureName& name, const Prior& prior) {
    const double low = prior.low > 0 ? prior.low : value / widest_factor;
    const double high = prior.high > 0 ? prior.high : value * widest_factor;
    return {name, value, value, prior.spread, std::min(low, value), std::max(high, value)};
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

Fitter::Fitter(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
               const FitOptions& options)
    : catalog_(catalog), data_(data), cache_(cache), options_(options) {
    for (const FitDataset& dataset : data_) {
        std::set<FigureName>& used = used_.emplace_back();
        std::vector<std::set<FigureName>>& by_row = used_by_row_.emplace_back();
        const CurveForecaster forecaster(dataset.scenario, cache_.at(dataset.scenario), catalog_);
        for (const Bytes size : dataset.sizes) {
            const std::vector<std::string> costs = forecaster.at(size).costs;
            used.insert(costs.begin(), costs.end());
            by_row.emplace_back(costs.begin(), costs.end());
        }
    }
}

std::set<FigureName> Fitter::figures_of(const std::set<std::string>& sites) const {
    std::set<FigureName> used;
    for (std::size_t d = 0; d < data_.size(); ++d) {
        if (sites.contains(data_[d].site)) { used.insert(used_[d].begin(), used_[d].end()); }
    }
    return used;
}

FitResult Fitter::as_catalogued() const {
    FitResult result;
    for (std::size_t d = 0; d < data_.size(); ++d) {
        for (const FigureName& name : used_[d]) {
            const Figure& figure = figure_of(catalog_, name);
            const FittedValue known{figure.value.at(0), figure.low80, figure.high80};
            result.figures.try_emplace(name, known).first->second.datasets.insert(data_[d].id);
        }
    }
    return result;
}

void Fitter::add_family(Stage& stage, std::span<const FigureName> free, const FitResult& result) const {
    FitFamily& family = stage.families.emplace_back();
    std::vector<const Part*> parts;
    const auto add = [&](FitParameter parameter, const Part& part) {
        family.parameters.push_back(stage.parameters.size());
        stage.parameters.push_back(std::move(parameter));
        parts.push_back(&part);
    };
    for (const FigureName& name : free) {
        stage.place[name] = stage.parameters.size();
        add(parameter_of(name), catalog_.parts.at(part_of(name)));
    }
    const std::vector<const Part*> own = parts;
    family.common = parts.front()->text.contains("arch") ? mean_spread : 0;
    for (const auto& [name, found] : result.figures) {
        const Part& part = catalog_.parts.at(part_of(name));
        const bool told = !found.datasets.empty();
        const bool kin =
            std::ranges::any_of(own, [&](const Part* p) { return p != &part && part_similarity(*p, part) > 0; });
        if (told && kin && figure_in(name) == figure_in(free.front()) && std::ranges::find(free, name) == free.end()) {
            add(known_parameter(name, found), part);
        }
    }
    for (const Part* a : parts) {
        for (const Part* b : parts) { family.correlation.push_back(part_similarity(*a, *b)); }
    }
}

std::size_t Fitter::Stage::host_factor(const std::string& site, const FigureName& launch) {
    const auto [effect, added] = host_factors.try_emplace({site, launch}, parameters.size());
    if (added) {
        constexpr double slowest = 2.5;
        parameters.push_back({site + ":" + launch, 1, 1, host_spread, 1 / slowest, slowest});
    }
    return effect->second;
}

FitCurve Fitter::curve_of(std::size_t d, Stage& stage, Catalog& working) const {
    const FitDataset& dataset = data_[d];
    FitCurve curve;
    Slots slots;
    std::vector<FigureName> launches;
    for (const auto& [name, p] : stage.place) {
        if (used_[d].contains(name)) {
            curve.parameters.push_back(p);
            slots.add(working, name);
            if (catalog_.parts.at(part_of(name)).kind == "launch") { launches.push_back(name); }
        }
    }
    slots.shared = slots.figures.size();
    for (const FigureName& launch : launches) {
        curve.parameters.push_back(stage.host_factor(dataset.site, launch));
        slots.add(working, launch);
    }
    const auto forecaster =
        std::make_shared<const CurveForecaster>(dataset.scenario, cache_.at(dataset.scenario), working);
    const auto seconds = std::make_shared<CurveSeconds>(dataset, *forecaster, std::move(slots), used_by_row_[d]);
    curve.errors = [forecaster, seconds](std::span<const double> values, std::span<double> errors) {
        seconds->fill_errors(values, errors);
    };
    return curve;
}

void Fitter::fit_stage(const std::vector<std::size_t>& chosen, const std::set<FigureName>& free,
                       FitResult& result) const {
    if (free.empty() || chosen.empty()) { return; }
    std::map<std::string, std::vector<FigureName>> by_figure;
    for (const FigureName& name : free) { by_figure[figure_in(name)].push_back(name); }
    Stage stage;
    for (const auto& [figure, names] : by_figure) { add_family(stage, names, result); }
    Catalog working = with_figures(catalog_, result.figures);
    for (const auto& [name, p] : stage.place) { figure_of(working, name).value = {stage.parameters[p].start}; }
    const std::map<FitCell, double> rows = rows_of_cells(data_, chosen);
    std::vector<FitCurve> curves;
    double observations = 0;
    for (const std::size_t d : chosen) {
        FitCurve curve = curve_of(d, stage, working);
        if (curve.parameters.empty()) { continue; }
        curve.weights = weights_of(data_[d], rows);
        for (const double w : curve.weights) { observations += w * w; }
        for (const auto& [name, p] : stage.place) {
            if (used_[d].contains(name)) { result.figures[name].datasets.insert(data_[d].id); }
        }
        curves.push_back(std::move(curve));
    }
    const FitOutcome outcome = robust_fit(stage.parameters, stage.families, curves, observations, options_);
    result.cost_before += outcome.cost_before;
    result.cost_after += outcome.cost_after;
    for (const auto& [name, p] : stage.place) {
        FittedValue& fitted = result.figures.at(name);
        fitted = {outcome.values[p].value, outcome.values[p].low80, outcome.values[p].high80, fitted.datasets};
    }
}

void Fitter::fill_from_kin(FitResult& result) const {
    std::map<FigureName, FittedValue> filled;
    for (const auto& [part_name, part] : catalog_.parts) {
        if (!has_costs(part)) { continue; }
        for (const auto& [path, figure] : part.figures) {
            const FigureName name = part_name + "/" + path;
            const bool about_data = path.starts_with("data.");
            const auto found = result.figures.find(name);
            const bool data = found != result.figures.end() && !found->second.datasets.empty();
            const bool told = figure.origin == Origin::fitted || told_by_kin(figure) || hardly_told(figure);
            if (about_data || data || !told) { continue; }
            Stage stage;
            add_family(stage, {&name, 1}, result);
            filled[name] = robust_fit(stage.parameters, stage.families, {}, 1, options_).values.front();
        }
    }
    for (const auto& [name, value] : filled) { result.figures[name] = value; }
}

FitResult Fitter::refit(std::set<FigureName> figures, const std::set<std::string>& without, FitResult result) const {
    for (const FigureName& name : figures) { result.figures.erase(name); }
    for (const bool network : {false, true}) {
        std::vector<std::size_t> chosen;
        std::set<FigureName> free;
        for (std::size_t d = 0; d < data_.size(); ++d) {
            if ((data_[d].scenario.cluster.nodes > 1) != network || without.contains(data_[d].site)) { continue; }
            std::set<FigureName> shared;
            std::ranges::set_intersection(used_[d], figures, std::inserter(shared, shared.end()));
            if (!shared.empty()) {
                chosen.push_back(d);
                free.insert(shared.begin(), shared.end());
            }
        }
        fit_stage(chosen, free, result);
        std::erase_if(figures, [&](const FigureName& name) { return free.contains(name); });
    }
    fill_from_kin(result);
    return result;
}

FitResult Fitter::fit_all(const std::string& without) const {
    std::set<FigureName> figures;
    for (const std::set<FigureName>& used : used_) { figures.insert(used.begin(), used.end()); }
    return refit(std::move(figures), {without}, {});
}

std::set<FigureName> Fitter::figures_between() const {
    std::set<FigureName> figures, inside;
    for (std::size_t d = 0; d < data_.size(); ++d) {
        (data_[d].scenario.cluster.nodes > 1 ? figures : inside).insert(used_[d].begin(), used_[d].end());
    }
    std::erase_if(figures, [&](const FigureName& name) { return inside.contains(name); });
    return figures;
}

FitResult Fitter::fit_between(const std::string& without) const {
    return refit(figures_between(), {without}, as_catalogued());
}

FitResult Fitter::fit_without(const std::set<std::string>& sites, FitResult base) const {
    return refit(figures_of(sites), sites, std::move(base));
}

}  // namespace fabricast::inline calibration
