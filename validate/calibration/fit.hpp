#pragma once
// From measured curves to the catalogue's fitted figures. Which figures move a curve is what the plan says it used;
// what they may be beforehand stands in priors.yaml, the same for every fit, so that leaving a site out leaves it out.
//
// Two stages: costs inside a node from one-node curves, then costs of networks from the others with the first held.
// A site's curves of one group of systems count as one observation in each regime, however many they are: a curve of 30
// sizes is not 30 independent facts.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "validate/calibration/robust_fit.hpp"
#include "validate/forecast.hpp"
#include "validate/regime.hpp"
#include "validate/sites.hpp"

namespace fabricast {

// A healthy curve without its warm-up rows.
struct FitDataset {
    std::string id, site;
    SystemGroup group;
    Scenario scenario;
    std::vector<Bytes> sizes;
    std::vector<double> seconds;
};

// What a figure may be, by glob over "part/figure"; the first match wins.
struct Prior {
    std::string match;
    double value = 0;  // SI
    double spread = 0.6;
    double low = 0, high = 0;  // 0: a factor of e^2.5 either way
};
std::vector<Prior> parse_priors(std::string_view yaml, const std::string& file);
const std::vector<Prior>& builtin_priors();

using FigureName = std::string;  // "part/figure"

struct FitResult {
    std::map<FigureName, FittedValue> figures;
    std::map<FigureName, std::set<std::string>> datasets;  // behind each figure
    double cost_before = 0, cost_after = 0;
};

class Fitter {
public:
    // All must outlive the fitter.
    Fitter(const Catalog& catalog, const std::vector<FitDataset>& data, const std::vector<Prior>& priors,
           FabricCache& cache, const FitOptions& options = {});

    // Every fitted figure that some curve uses, from all curves but those of `without`.
    FitResult fit_all(const std::string& without = "") const;

    // Refits only what moves the curves of `site`, from the others' curves; all else stays as in `base`.
    FitResult fit_without(const std::string& site, const FitResult& base) const;

    const std::set<FigureName>& figures_of(std::size_t dataset) const { return used_[dataset]; }

private:
    // Fits `free` to the chosen curves, the catalogue's other figures being as in `result`, and adds to it.
    void fit_stage(const std::vector<std::size_t>& chosen, const std::set<FigureName>& free, FitResult& result) const;

    const Catalog& catalog_;
    const std::vector<FitDataset>& data_;
    const std::vector<Prior>& priors_;
    FabricCache& cache_;
    FitOptions options_;
    std::vector<std::set<FigureName>> used_;  // by dataset
};

// The catalogue with these figures in place of its own.
Catalog with_figures(Catalog catalog, const std::map<FigureName, FittedValue>& figures);

}  // namespace fabricast
