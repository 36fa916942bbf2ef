#include "validate/calibration/calibrate_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "sim/io/text_file.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/calibration/without_site.hpp"
#include "validate/intervals.hpp"
#include "validate/random.hpp"

namespace fabricast {
namespace {

// Ring runs of one NVSwitch node: latency costs by LL, rates by Simple, told apart by the number of GPUs.
constexpr const char* planted_part = "nccl-ampere-nvswitch";
constexpr const char* planted_figures[] = {"ll.start", "ll.hop", "simple.wire", "simple.start"};

FitDataset synthetic(const Catalog& truth, FabricCache& cache, std::uint32_t gpus, const char* protocol,
                     Random& random) {
    FitDataset d;
    d.id = fmt::format("planted-{}-{}", protocol, gpus);
    d.site = d.id;
    d.scenario.cluster.node = "dgx-a100";
    d.scenario.cluster.gpus_per_node = gpus;
    d.scenario.library.nccl = "2.27";
    d.scenario.library.env = {{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", protocol}};
    d.scenario.engine = Analytic{};
    const CurveForecaster forecaster(d.scenario, cache.at(d.scenario), truth);
    const bool latency = std::string_view(protocol) == "LL";
    constexpr int repeats = 80;
    constexpr double noise = 0.05;
    constexpr double outliers = 0.05;
    for (std::int64_t size = latency ? 8 : 65536; size <= (latency ? std::int64_t{16384} : std::int64_t{1} << 32);
         size *= 2) {
        const double seconds = forecaster.seconds(Bytes{size});
        for (int i = 0; i < repeats; ++i) {
            const double slow = random.uniform() < outliers ? 1.5 + 1.5 * random.uniform() : 1;
            d.sizes.push_back(Bytes{size});
            d.seconds.push_back(seconds * slow * std::exp(noise * random.normal()));
        }
    }
    return d;
}

double planted_error(const Catalog& catalog, FabricCache& cache, Random& random) {
    Catalog truth = catalog;
    CalibrateOptions options;
    for (const char* figure : planted_figures) {
        double& value = truth.parts.at(planted_part).figures.at(figure).value.at(0);
        value *= 0.8 + 0.4 * random.uniform();
        options.only.push_back(std::string(planted_part) + "/" + figure);
    }
    std::vector<FitDataset> data;
    for (const std::uint32_t gpus : {2U, 4U, 8U}) {
        for (const char* protocol : {"LL", "Simple"}) {
            data.push_back(synthetic(truth, cache, gpus, protocol, random));
        }
    }
    const Calibration found = calibrate(catalog, data, cache, options);
    double worst = 0;
    for (const CalibratedFigure& f : found.figures) {
        const double planted = truth.parts.at(planted_part).number(f.name.substr(f.name.find('/') + 1));
        worst = std::max(worst, std::abs(f.fitted.value / planted - 1));
    }
    return worst;
}

SystemError judge(const std::string& name, const std::vector<FitDataset>& data, const Catalog& catalog,
                  FabricCache& cache) {
    SystemError result{name};
    try {
        std::vector<double> small;
        std::vector<double> large;
        for (const CalibratedRow& row : calibrate(catalog, data, cache).rows) {
            if (row.judged) {
                (regime_of(row.size) == Regime::large ? large : small)
                    .push_back(std::abs(row.after / row.measured - 1));
            }
        }
        result.rows = small.size() + large.size();
        result.small = percentile(small, 50).value_or(-1);
        result.large = percentile(large, 50).value_or(-1);
    } catch (const UnderDetermined&) {
        // Too few rows to judge by: no figure.
    }
    return result;
}

std::vector<AccuracyFigure> fresh_figures(const Catalog& catalog, const std::vector<FitDataset>& data,
                                          FabricCache& cache, const std::filesystem::path& measurements) {
    std::vector<double> small;
    std::vector<double> large;
    for (const SystemError& system : calibrated_systems(catalog, data, cache, std::thread::hardware_concurrency())) {
        if (system.small >= 0) {
            small.push_back(system.small);
        }
        if (system.large >= 0) {
            large.push_back(system.large);
        }
    }
    std::vector<AccuracyFigure> figures{{"calibrated_large_median_pct", 100 * percentile(large, 50).value_or(0)},
                                        {"calibrated_small_median_pct", 100 * percentile(small, 50).value_or(0)}};
    std::vector<ScaleOut> pairs = read_scaleout(measurements / "scaleout.yaml");
    judge_scaleout(pairs, catalog, data, cache);
    std::vector<double> errors;
    for (const ScaleOut& pair : pairs) {
        if (pair.error >= 0) {
            errors.push_back(pair.error);
            figures.push_back({fmt::format("scaleout_{}_{}_to_{}_nodes_{}_pct", pair.site, pair.fit_nodes, pair.largest,
                                           pair.collective),
                               100 * pair.error});
        }
    }
    figures.push_back({"scaleout_large_median_pct", 100 * percentile(errors, 50).value_or(0)});
    return figures;
}

std::string figures_yaml(const std::vector<AccuracyFigure>& figures, const std::string& mark) {
    std::string yaml =
        "# What `./dev accuracy --loso` found when each system was calibrated on half of its own sizes; stale, and "
        "then not\n"
        "# read, once the catalogue or the data are others.\nfingerprint: \"" +
        mark + "\"\nfigures:\n";
    for (const AccuracyFigure& figure : figures) {
        yaml += fmt::format("  {}: {:.4f}\n", figure.name, figure.percent);
    }
    return yaml;
}

std::vector<AccuracyFigure> kept_figures(const std::filesystem::path& file, const std::string& mark) {
    std::vector<AccuracyFigure> figures;
    if (!std::filesystem::exists(file)) {
        return figures;
    }
    const yaml::Node root = yaml::read(file);
    if (root.required("fingerprint").as_string() == mark) {
        for (const yaml::Node& figure : root.required("figures").members()) {
            figures.push_back({figure.name, figure.as_double()});
        }
    }
    return figures;
}

std::set<std::string> except_of(const yaml::Node& node) {
    std::set<std::string> names;
    if (const yaml::Node* list = node.get("except"); list != nullptr) {
        for (const yaml::Node& name : list->items()) {
            names.insert(name.as_string());
        }
    }
    return names;
}

}  // namespace

double planted_recovery(const Catalog& catalog, int seeds) {
    FabricCache cache(catalog);
    double worst = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        worst = std::max(worst, planted_error(catalog, cache, random));
    }
    return worst;
}

std::vector<SystemError> calibrated_systems(const Catalog& catalog, const std::vector<FitDataset>& data,
                                            FabricCache& cache, unsigned threads) {
    std::map<std::string, std::vector<FitDataset>> systems;
    for (const FitDataset& d : data) {
        systems[fmt::format("{}, {} {} {}", d.site, d.group.generation, d.group.nccl_era, d.group.fabric)].push_back(d);
    }
    std::vector<const std::pair<const std::string, std::vector<FitDataset>>*> list;
    for (const auto& system : systems) {
        list.push_back(&system);
    }
    std::vector<SystemError> errors(list.size());
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < std::max(1U, threads); ++t) {
        workers.emplace_back([&] {
            for (std::size_t i = next++; i < list.size(); i = next++) {
                errors[i] = judge(list[i]->first, list[i]->second, catalog, cache);
            }
        });
    }
    workers.clear();  // joins
    return errors;
}

std::vector<ScaleOut> read_scaleout(const std::filesystem::path& file) {
    std::vector<ScaleOut> pairs;
    const yaml::Node root = yaml::read(file);
    root.allow({"pairs"});
    for (const yaml::Node& node : root.required("pairs").items()) {
        node.allow({"site", "fabric", "fit_nodes", "collective", "limit_pct", "except"});
        pairs.push_back({node.required("site").as_string(), node.required("fabric").as_string(),
                         node.required("collective").as_string(),
                         static_cast<std::uint32_t>(node.required("fit_nodes").as_int(2, 1 << 20)),
                         node.required("limit_pct").as_double() / 100, except_of(node), -1, 0});
    }
    return pairs;
}

void judge_scaleout(std::vector<ScaleOut>& pairs, const Catalog& catalog, const std::vector<FitDataset>& data,
                    FabricCache& cache) {
    std::map<std::string, Catalog> calibrated;  // pairs of one system share the fit
    for (ScaleOut& pair : pairs) {
        std::vector<FitDataset> few;
        std::vector<const FitDataset*> many;
        for (const FitDataset& d : data) {
            const std::uint32_t nodes = d.scenario.cluster.nodes;
            if (d.site != pair.site || nodes < 2 || !d.group.fabric.starts_with(pair.fabric)) {
                continue;
            }
            if (nodes <= pair.fit_nodes) {
                few.push_back(d);
            } else if (word(collective_of(d.scenario).collective) == pair.collective && !pair.except.contains(d.id)) {
                many.push_back(&d);
                pair.largest = std::max(pair.largest, nodes);
            }
        }
        if (few.empty() || many.empty()) {
            continue;
        }
        const std::string key = pair.site + pair.fabric + std::to_string(pair.fit_nodes);
        if (!calibrated.contains(key)) {
            calibrated.emplace(key, with_calibration(catalog, calibrate(catalog, few, cache)));
        }
        std::vector<double> errors;
        for (const FitDataset* d : many) {
            const CurveForecaster forecaster(d->scenario, cache.at(d->scenario), calibrated.at(key));
            for (std::size_t i = 0; i < d->sizes.size(); ++i) {
                if (regime_of(d->sizes[i]) == Regime::large) {
                    errors.push_back(std::abs(forecaster.seconds(d->sizes[i]) / d->seconds[i] - 1));
                }
            }
        }
        pair.error = percentile(errors, 50).value_or(-1);
    }
}

void tell_calibration(const Catalog& catalog, const std::vector<FitDataset>& data, const std::vector<AccuracyRow>& rows,
                      FabricCache& cache, const std::filesystem::path& measurements, bool refit) {
    std::vector<AccuracyFigure> figures{{"planted_recovery_max_pct", 100 * planted_recovery(catalog, 3)}};
    const std::string mark = fingerprint(rows);
    const std::filesystem::path file = measurements / "calibrated.yaml";
    if (refit) {
        write_atomically(file, figures_yaml(fresh_figures(catalog, data, cache, measurements), mark));
        write_atomically("models/catalog/intervals.yaml", intervals_yaml(interval_table(rows, Forecast::left_out),
                                                                         catalog.parts.at("forecast-intervals")));
    }
    for (const AccuracyFigure& figure : kept_figures(file, mark)) {
        figures.push_back(figure);
    }
    for (const AccuracyFigure& figure : interval_figures(rows)) {
        figures.push_back(figure);
    }
    for (const AccuracyFigure& figure : figures) {
        fmt::print("{}\n", figure_line(figure));
    }
}

}  // namespace fabricast
