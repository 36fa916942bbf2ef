#include "validate/calibration/catalog_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "validate/accuracy.hpp"
#include "validate/calibration/kinship.hpp"

namespace fabricast {
namespace {

bool is_cost_kind(const std::string& kind) { return kind == "kernel" || kind == "transport" || kind == "launch"; }

std::string listed(const std::set<std::string>& names) {
    std::string list;
    for (const std::string& name : names) {
        list += (list.empty() ? "" : ", ") + name;
    }
    return "[" + list + "]";
}

std::set<std::string> every_dataset(const PartUpdate& update) {
    std::set<std::string> all;
    for (const auto& [figure, datasets] : update.datasets) {
        all.insert(datasets.begin(), datasets.end());
    }
    return all;
}

std::string figure_line(const std::string& name, const FittedValue& fitted, const std::string& unit,
                        const std::set<std::string>& datasets, const std::set<std::string>& of_part) {
    const std::string kin = fmt::format(", source: \"{}\"", kin_source);
    const std::string source = datasets.empty() ? kin : datasets == of_part ? "" : ", source: " + listed(datasets);
    return fmt::format("    {}: {{value: {}, low80: {}, high80: {}, origin: {}{}}}", name, written(fitted.value, unit),
                       written(fitted.low80, unit), written(fitted.high80, unit),
                       datasets.empty() ? "estimated" : "fitted", source);
}

std::string prior_line(const std::string& part, const std::string& name, const std::string& unit,
                       const std::vector<Prior>& priors) {
    const auto prior =
        std::ranges::find_if(priors, [&](const Prior& p) { return glob_matches(p.match, part + "/" + name); });
    if (prior == priors.end()) {
        return "";
    }
    return fmt::format(
        "    {}: {{value: {}, origin: estimated, source: \"validate/calibration/priors.yaml: no data of this "
        "combination\"}}",
        name, written(prior->value, unit));
}

std::string residual_lines(const PartUpdate& update) {
    constexpr const char* names[] = {"small", "middle", "large"};
    std::string lines;
    for (const auto& [regime, residual] : update.residuals) {
        lines += fmt::format("    residual.{}: {{value: 1, low80: {:.3f}, high80: {:.3f}, origin: fitted}}\n",
                             names[static_cast<std::size_t>(regime)], residual.low80, residual.high80);
    }
    return lines;
}

// Ratios measured / forecast of one part's curves: each site weighs the same, by its own quantiles.
using Ratios = std::map<std::string, std::vector<double>>;  // by site

Residual residual_of(const Ratios& ratios) {
    std::vector<double> low;
    std::vector<double> high;
    for (const auto& [site, list] : ratios) {
        low.push_back(*percentile(list, 10));
        high.push_back(*percentile(list, 90));
    }
    return {std::min(1.0, *percentile(low, 50)), std::max(1.0, *percentile(high, 50))};
}

std::string_view key_of(std::string_view line) {
    const std::size_t start = line.find_first_not_of(' ');
    const std::size_t colon = line.find(':');
    return start == std::string_view::npos || colon == std::string_view::npos ? std::string_view{}
                                                                              : line.substr(start, colon - start);
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

}  // namespace

std::string written(double value, const std::string& unit) {
    if (unit == "s") {
        return fmt::format("{:.5g} us", value * 1e6);
    }
    if (unit == "B/s") {
        return fmt::format("{:.5g} GB/s", value * 1e-9);
    }
    return fmt::format("{:.5g}", value);
}

std::map<std::string, PartUpdate> part_updates(const FitResult& fit, const Catalog& catalog,
                                               const std::vector<FitDataset>& data, FabricCache& cache) {
    std::map<std::string, PartUpdate> updates;
    for (const auto& [name, fitted] : fit.figures) {
        const std::size_t slash = name.find('/');
        PartUpdate& update = updates[name.substr(0, slash)];
        update.figures[name.substr(slash + 1)] = fitted;
        update.datasets[name.substr(slash + 1)] = fit.datasets.at(name);
    }
    const Catalog fitted = with_figures(catalog, fit.figures);
    std::map<std::string, std::map<Regime, Ratios>> ratios;
    for (const FitDataset& dataset : data) {
        const ClusterRequest& cluster = dataset.scenario.cluster;
        const std::string judged = cluster.nodes > 1 ? "transport" : "kernel";
        const Fabric& fabric = cache.at(dataset.scenario);
        const CurveForecaster forecaster(dataset.scenario, fabric, fitted);
        for (std::size_t i = 0; i < dataset.sizes.size(); ++i) {
            const ForecastRow row = forecaster.at(dataset.sizes[i]);
            std::set<std::string> parts;
            for (const std::string& cost : row.costs) {
                parts.insert(cost.substr(0, cost.find('/')));
            }
            for (const std::string& part : parts) {
                if (fitted.parts.at(part).kind == judged) {
                    ratios[part][regime_of(dataset.sizes[i])][dataset.site].push_back(dataset.seconds[i] / row.seconds);
                    const double reach = judged == "kernel" ? fabric.gpus_per_node() : fabric.node_count();
                    updates[part].reach = std::max(updates[part].reach, reach);
                }
            }
        }
    }
    for (const auto& [part, by_regime] : ratios) {
        for (const auto& [regime, of_sites] : by_regime) {
            updates[part].residuals[regime] = residual_of(of_sites);
        }
    }
    updates["nccl-network"].residuals.clear();  // no kernel by itself: the transports answer for it
    return updates;
}

std::string with_updates(std::string_view yaml, const std::map<std::string, PartUpdate>& updates,
                         const Catalog& catalog, const std::vector<Prior>& priors) {
    std::string out;
    const Part* part = nullptr;  // the one being written
    const PartUpdate* update = nullptr;
    const auto end_part = [&] {
        out += update != nullptr ? residual_lines(*update) : "";
        update = nullptr;
    };
    std::string blank;  // empty lines and comments wait until it is known whether the part goes on
    while (!yaml.empty()) {
        const std::string_view line = yaml.substr(0, yaml.find('\n'));
        yaml.remove_prefix(std::min(yaml.size(), line.size() + 1));
        const std::string_view key = key_of(line);
        if (line.empty() || line[indent_of(line)] == '#') {
            blank += std::string(line) + "\n";
            continue;
        }
        if (indent_of(line) == 0) {
            end_part();
            const auto found = catalog.parts.find(key);
            part = found != catalog.parts.end() && is_cost_kind(found->second.kind) ? &found->second : nullptr;
            const auto change = updates.find(std::string(key));
            update = part != nullptr && change != updates.end() ? &change->second : nullptr;
        }
        out += blank;
        blank.clear();
        const std::size_t indent = part == nullptr ? 0 : indent_of(line);
        if (indent == 2 && key == "source" && update != nullptr && !every_dataset(*update).empty()) {
            out += "  source: " + listed(every_dataset(*update)) + "\n";
        } else if (indent == 4 && key.starts_with("residual.") && update != nullptr) {
            continue;  // written anew at the part's end
        } else if (indent == 4 && key.starts_with("data.") && update != nullptr && update->reach > 0) {
            out += fmt::format("    {}: {:g}\n", key, update->reach);
        } else if (indent == 4 && part->figures.contains(key)) {
            const std::string name(key);
            const Figure& figure = part->figures.find(key)->second;
            std::string replaced;
            if (update != nullptr && update->figures.contains(name)) {
                replaced = figure_line(name, update->figures.at(name), figure.unit, update->datasets.at(name),
                                       every_dataset(*update));
            } else if (figure.origin == Origin::fitted && !name.starts_with("data.")) {
                replaced = prior_line(part->name, name, figure.unit, priors);
            }
            out += (replaced.empty() ? std::string(line) : replaced) + "\n";
        } else {
            out += std::string(line) + "\n";
        }
    }
    end_part();
    return out + blank;
}

}  // namespace fabricast
