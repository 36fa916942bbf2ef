#pragma once
// Fits the figures of the catalogue to measured curves. Which figures influence a curve comes from its plan. The priors
// are in priors.yaml and are the same for every fit, so that a fit without a site knows nothing about that site.
//
// There are two stages: the costs inside a node are fitted to one-node curves; then, with these fixed, the network
// costs are fitted to the other curves. Figures of similar parts are correlated (part_similarity.hpp); a figure without
// data takes its value from the similar parts. Launch figures describe an average host: each site has its own factor on
// them, which is fitted and then dropped, so that a slow host is not mistaken for a slow GPU. All curves of a site and
// group count as one observation per regime, because a curve of 30 sizes is not 30 independent facts.

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "validate/calibration/curve_seconds.hpp"
#include "validate/calibration/robust_fit.hpp"

namespace fabricast::inline calibration {

// A bound that no prior states is this factor above or below the value: e^2.5.
inline constexpr double widest_factor = 12.182493960703473;

// The prior of the figures that match a glob over "part/figure"; the first match wins.
struct Prior {
    std::string match;
    double value = 0;  // SI
    double spread = 0.6;
    double low = 0, high = 0;  // bounds; 0: a factor of e^2.5 below or above `value`
    double site = 0;           // how far a pilot may move ln(figure), as a standard deviation; 0: not stated
    bool host = false;         // a cost of NCCL's threads on the host, which differs with its processors
};
const std::vector<Prior>& builtin_priors();
// nullptr if there is none.
const Prior* prior_of(const FigureName& name);
// The figure as a parameter that starts at `value` and is believed to be there, with the spread and bounds of `prior`.
FitParameter parameter_at(double value, const FigureName& name, const Prior& prior);

struct FitResult {
    std::map<FigureName, FittedValue> figures;
    double cost_before = 0, cost_after = 0;
};

class Fitter {
public:
    // All must outlive the fitter.
    Fitter(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
           const FitOptions& options = {});

    // Fits every figure, from all curves except those of the site `without`.
    FitResult fit_all(const std::string& without = "") const;

    // Fits only figures that no curve inside a node tells of, without that site; the rest stays as in the catalogue.
    FitResult fit_between(const std::string& without = "") const;
    std::set<FigureName> figures_between() const;

    // Refits only the figures that influence the curves of `sites`, from the curves of the other sites; the rest stays
    // as in `base`.
    FitResult fit_without(const std::set<std::string>& sites, FitResult base) const;

    // The figures that influence the curves of these sites.
    std::set<FigureName> figures_of(const std::set<std::string>& sites) const;

    // The figures as in the catalogue: the base of a fit that leaves most of them unchanged.
    FitResult as_catalogued() const;

private:
    // The parameters of one solve: the free figures and their similar parts, and for each site a factor on each launch
    // figure.
    struct Stage {
        std::vector<FitParameter> parameters;
        std::vector<FitFamily> families;
        std::map<FigureName, std::size_t> place;  // index of each free figure in `parameters`
        std::map<std::pair<std::string, FigureName>, std::size_t> host_factors;

        std::size_t host_factor(const std::string& site, const FigureName& launch);
    };

    // Adds the joint prior of one figure over several parts: first the free parts, then similar parts whose value in
    // `result` comes from data.
    void add_family(Stage& stage, std::span<const FigureName> free, const FitResult& result) const;

    // The curve of a dataset as a function of these parameters, without weights. Evaluating it writes the figures into
    // `working`, which must outlive the curve.
    FitCurve curve_of(std::size_t dataset, Stage& stage, Catalog& working) const;

    // Fills the figures that no data determine from the similar parts, else from the prior; their datasets are empty.
    void fill_from_kin(FitResult& result) const;

    // Fits these figures in the two stages, from the curves of all sites except `without`.
    FitResult refit(std::set<FigureName> figures, const std::set<std::string>& without, FitResult result) const;

    // Fits `free` to the chosen curves and adds the values to `result`. All other figures are as in `result`.
    void fit_stage(const std::vector<std::size_t>& chosen, const std::set<FigureName>& free, FitResult& result) const;

    const Catalog& catalog_;
    const std::vector<FitDataset>& data_;
    FabricCache& cache_;
    FitOptions options_;
    std::vector<std::set<FigureName>> used_;                      // by dataset
    std::vector<std::vector<std::set<FigureName>>> used_by_row_;  // by dataset and row
};

// The catalogue with these figures replaced.
Catalog with_figures(Catalog catalog, const std::map<FigureName, FittedValue>& figures);

}  // namespace fabricast::inline calibration
