#pragma once
// Forecasts whole curves through the chain build -> Fabric -> plan -> replay.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/planner.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"
#include "validate/curves/derived.hpp"

namespace fabricast::inline curves {

// A cost figure of the catalogue: "nccl-hopper-nvswitch/ll.start".
using FigureName = std::string;  // "part/figure"

inline std::string part_of(const FigureName& name) { return name.substr(0, name.find('/')); }
inline std::string figure_in(const FigureName& name) { return name.substr(name.find('/') + 1); }

// Throws std::out_of_range if there is no such figure. `Catalogue` may be const.
template <class Catalogue> auto& figure_of(Catalogue& catalog, const FigureName& name) {
    return catalog.parts.at(part_of(name)).figures.at(figure_in(name));
}

// Parts of these kinds have the costs that only measurements determine.
inline bool has_costs(const Part& part) {
    return part.kind == "kernel" || part.kind == "transport" || part.kind == "launch";
}

struct ForecastRow {
    double seconds = 0;
    double low80 = 0, high80 = 0;  // never faster than the payload alone on the busiest link
    std::string algorithm, protocol;
    int channels = 0;
    Evidence evidence = Evidence::formula_only;
    double tuning_seconds = 0;      // time that NCCL's tuning model predicts; 0: it has no model of this
    std::vector<FigureName> costs;  // each fitted or estimated cost that the forecast uses
};

// Fabrics by what a scenario builds, because building one is slow and does not depend on the fitted figures.
class FabricCache {
public:
    // `catalog` must outlive the cache.
    explicit FabricCache(const Catalog& catalog) : catalog_(&catalog) {}
    const Fabric& at(const Scenario& scenario);

private:
    const Catalog* catalog_;
    std::mutex guard_;
    std::map<std::string, std::unique_ptr<const Fabric>> fabrics_;
};

// One scenario with its events, prepared once for many sizes. It may be used again after the costs of the catalogue
// were changed in place.
class CurveForecaster {
public:
    // All must outlive the forecaster.
    CurveForecaster(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

    ForecastRow at(Bytes size) const;
    double seconds(Bytes size) const;

private:
    const Scenario& scenario_;
    const Fabric& fabric_;
    const Catalog& catalog_;
    std::vector<LinkEvent> events_;
    SizePlanner planner_;
};

// The forecast of a measured system: over all that its file leaves open, as a mixture.

struct MixedForecast {
    ForecastRow row;
    // The share of the interval's width, in logarithms, that stating it would take off, for each of Derived::unsaid.
    std::vector<double> narrowed;
};

// The weighted median of the forecasts, and the 10th and 90th percentile of the mixture of their intervals; algorithm,
// evidence and costs are those of the scenario as derived. Without anything unsaid, the same as CurveForecaster.
class MixedForecaster {
public:
    // All must outlive the forecaster.
    MixedForecaster(const Derived& derived, FabricCache& cache, const Catalog& catalog);

    MixedForecast at(Bytes size) const;
    double seconds(Bytes size) const;  // at(size).row.seconds, without judging the plans

private:
    struct Part {
        double weight = 1;
        std::size_t unsaid = 0;  // number of what differs from the scenario as derived, which is the first part
        std::unique_ptr<const CurveForecaster> forecaster;
    };
    std::vector<Part> parts_;
};

}  // namespace fabricast::inline curves
