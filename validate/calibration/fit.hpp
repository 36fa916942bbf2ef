#pragma once
// From measured curves to the catalogue's fitted figures. Which figures move a curve is what the plan says it used;
// what they may be beforehand stands in priors.yaml, the same for every fit, so that leaving a site out leaves it out.
//
// Two stages: costs inside a node from one-node curves, then costs of networks from the others with the first held.
// Figures of kindred parts lean on each other (part_similarity.hpp); what no data tell takes what its kin do. Launch
// figures are the hosts' middle: each site has a factor of its own on them, which is fitted and dropped, so that one
// slow host does not pass for a slow GPU. A site's curves of one group of systems count as one observation in each
// regime, however many they are: a curve of 30 sizes is not 30 independent facts.

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "validate/accuracy/sites.hpp"
#include "validate/calibration/robust_fit.hpp"
#include "validate/curves/forecast.hpp"
#include "validate/score/regime.hpp"

namespace fabricast {

// A healthy curve without its warm-up rows.
struct FitDataset {
    std::string id, site, publisher;
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
    std::map<FigureName, std::set<std::string>> datasets;  // behind each figure; none: told by its kin
    double cost_before = 0, cost_after = 0;
};

class Fitter {
public:
    // All must outlive the fitter.
    Fitter(const Catalog& catalog, const std::vector<FitDataset>& data, const std::vector<Prior>& priors,
           FabricCache& cache, const FitOptions& options = {});

    // Every fitted figure, from all curves but those of `without`.
    FitResult fit_all(const std::string& without = "") const;

    // Refits only what moves the curves of `sites`, from the others' curves; all else stays as in `base`.
    FitResult fit_without(const std::set<std::string>& sites, const FitResult& base) const;

    const std::set<FigureName>& figures_of(std::size_t dataset) const { return used_[dataset]; }

private:
    // The prior of one figure over several parts: the free ones first, then kin that `result` knows from data.
    struct Family {
        std::vector<FitParameter> parameters;
        std::vector<double> correlation;
    };
    Family family_of(std::span<const FigureName> free, const FitResult& result) const;

    // What one solve moves: the free figures with their kin, and a factor on each launch figure for each site's host.
    struct Stage {
        std::vector<FitParameter> parameters;
        std::vector<FitFamily> families;
        std::map<FigureName, std::size_t> place;  // of each free figure among the parameters
        std::map<std::pair<std::string, FigureName>, std::size_t> host_factors;

        std::size_t host_factor(const std::string& site, const FigureName& launch);
    };
    Stage stage_of(const std::set<FigureName>& free, const FitResult& result) const;

    // A dataset's curve over those parameters, without weights; it writes the figures into `working`, which must
    // outlive it.
    FitCurve curve_of(std::size_t dataset, Stage& stage, Catalog& working) const;

    // What no data tell in `result`: from its kin, else the prior; with no datasets.
    void fill_from_kin(FitResult& result) const;

    // Fits `free` to the chosen curves, the catalogue's other figures being as in `result`, and adds to it.
    void fit_stage(const std::vector<std::size_t>& chosen, const std::set<FigureName>& free, FitResult& result) const;

    const Catalog& catalog_;
    const std::vector<FitDataset>& data_;
    const std::vector<Prior>& priors_;
    FabricCache& cache_;
    FitOptions options_;
    std::vector<std::set<FigureName>> used_;                      // by dataset
    std::vector<std::vector<std::set<FigureName>>> used_by_row_;  // by dataset and row
};

// The catalogue with these figures in place of its own.
Catalog with_figures(Catalog catalog, const std::map<FigureName, FittedValue>& figures);

}  // namespace fabricast
