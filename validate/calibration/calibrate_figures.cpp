#include "validate/calibration/calibrate_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <thread>

#include "base/parallel_map_ordered.hpp"
#include "base/percentile.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/accuracy/intervals.hpp"
#include "validate/calibration/pilots.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline calibration {
namespace {

constexpr const char* kept_file = "calibrated.yaml";  // in the folder of the measurements

// Ring runs on one NVSwitch node. LL determines the latency costs and Simple the rates; different numbers of GPUs
// separate the costs from each other.
constexpr const char* planted_figures[] = {"nccl-ampere-nvswitch/ll.start", "nccl-ampere-nvswitch/ll.hop",
                                           "nccl-ampere-nvswitch/simple.wire", "nccl-kernels/simple.start"};

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
    constexpr int repeats = 640;  // a start cost is only a few microseconds, which 5 % noise hides without many repeats
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
    std::vector<FigureName> names;
    for (const FigureName name : planted_figures) {
        double& value = figure_of(truth, name).value.at(0);
        // A value below the lower bound could not be recovered.
        value = std::max(value * (0.8 + 0.4 * random.uniform()), prior_of(name)->low);
        names.push_back(name);
    }
    std::vector<FitDataset> data;
    for (const std::uint32_t gpus : {2U, 4U, 8U}) {
        for (const char* protocol : {"LL", "Simple"}) {
            data.push_back(synthetic(truth, cache, gpus, protocol, random));
        }
    }
    const Calibration found = calibrate(catalog, data, cache, names);
    double worst = 0;
    for (const CalibratedFigure& f : found.figures) {
        const double planted = figure_of(truth, f.name).value.at(0);
        worst = std::max(worst, std::abs(f.fitted.value / planted - 1));
    }
    return worst;
}

using ByRegime = std::array<std::vector<double>, 3>;

RegimeMedians medians(const ByRegime& errors) {
    return {percentile(errors[0], 50), percentile(errors[1], 50), percentile(errors[2], 50)};
}

// Median errors by regime, before and after a calibration.
struct Judged {
    RegimeMedians before, after;
};

// Calibrates a system on every other one of its sizes and judges the other sizes.
Judged judge(const std::vector<FitDataset>& data, const Catalog& unseen, FabricCache& cache) {
    try {
        ByRegime before, after;
        for (const CalibratedRow& row : calibrate(unseen, data, cache).rows) {
            if (row.judged) {
                const std::size_t regime = index_of(regime_of(row.size));
                before[regime].push_back(std::abs(row.before / row.measured - 1));
                after[regime].push_back(std::abs(row.after / row.measured - 1));
            }
        }
        return {medians(before), medians(after)};
    } catch (const UnderDetermined&) {
        return {};  // too few rows to judge: no figures for this system
    }
}

// One system: the curves of a site that have the same GPU, era and fabric.
using System = std::pair<std::string, SystemGroup>;

// Each healthy system, calibrated from the fit that never saw its site.
std::vector<Judged> calibrated_systems(const Catalog& catalog, const SiteOverlays& overlays,
                                       const std::vector<FitDataset>& data, FabricCache& cache) {
    std::map<System, std::vector<FitDataset>> systems;
    for (const FitDataset& d : data) { systems[{d.site, d.group}].push_back(d); }
    const std::vector<std::pair<System, std::vector<FitDataset>>> list(systems.begin(), systems.end());
    return parallel_map(list.size(), std::max(1U, std::thread::hardware_concurrency()), [&](std::size_t i) {
        const auto& [system, curves] = list[i];
        return judge(curves, catalog_without(catalog, overlays, {system.first}), cache);
    });
}

// "calibrated_large_median_pct" over systems, and the same before calibration.
std::vector<NamedFigure> medians_over(const std::vector<Judged>& list) {
    std::vector<NamedFigure> figures;
    for (const Regime regime : all_regimes) {
        std::vector<double> before, after;
        for (const Judged& judged : list) {
            if (judged.after[index_of(regime)]) {
                before.push_back(*judged.before[index_of(regime)]);
                after.push_back(*judged.after[index_of(regime)]);
            }
        }
        if (!after.empty()) {
            const std::string name = fmt::format("calibrated_{}_", to_string(regime));
            figures.push_back({name + "median_pct", 100 * *percentile(after, 50)});
            figures.push_back({name + "before_median_pct", 100 * *percentile(before, 50)});
        }
    }
    return figures;
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

std::vector<NamedFigure> kept_figures(const std::filesystem::path& measurements, const std::string& fingerprint) {
    std::vector<NamedFigure> figures;
    for (const yaml::Node& kept : kept_members(measurements / kept_file, fingerprint, "figures")) {
        const std::string value = kept.as_string();  // "2.3000 %"
        const std::size_t space = value.find(' ');
        figures.push_back({kept.name, number_in<double>(value.substr(0, space)).value_or(0), value.substr(space + 1)});
    }
    return figures;
}

std::vector<NamedFigure> calibration_figures(const Catalog& catalog, const SiteOverlays& overlays,
                                             const Collection& collection, const std::vector<ComparedRow>& rows,
                                             FabricCache& cache, const std::filesystem::path& measurements,
                                             bool refit) {
    const std::string mark = fingerprint(rows);
    if (refit && !overlays.empty()) {
        std::vector<NamedFigure> fresh =
            medians_over(calibrated_systems(catalog, overlays, fit_datasets(collection), cache));
        std::ranges::move(pilot_figures(pilots(catalog, overlays, collection, rows, cache)), std::back_inserter(fresh));
        std::string lines;
        for (const NamedFigure& figure : fresh) {
            lines += fmt::format("  {}: {:.4f} {}\n", figure.name, figure.value, figure.unit);
        }
        write_atomically(measurements / kept_file,
                         filled_page("calibrated.yaml", {{"fingerprint", mark}, {"figures", lines}}));
        write_atomically("models/catalog/intervals.yaml", intervals_yaml(interval_table(rows, Forecast::publisher_out),
                                                                         catalog.parts.at("forecast-intervals")));
    }
    std::vector<NamedFigure> figures = kept_figures(measurements, mark);
    figures.push_back({"planted_recovery_max_pct", 100 * planted_recovery(catalog, 3)});
    return figures;
}

}  // namespace fabricast::inline calibration
