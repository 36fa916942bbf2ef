#pragma once
// Forecasts of whole curves through the chain: build -> Fabric -> plan -> replay.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

struct ForecastRow {
    double seconds = 0;
    double low80 = 0, high80 = 0;
    std::string algorithm, protocol;
    int channels = 0;
    Evidence evidence = Evidence::formula_only;
    double tuning_seconds = 0;       // NCCL's tuning model read as a clock; 0: it has no model of this
    std::vector<std::string> costs;  // "part/figure" of each fitted or estimated cost it rests on
};

// Fabrics by cluster request: building one is the slow part, and the figures that are fitted never change it.
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

// One scenario made ready, with its events: many sizes, and again after the catalogue's costs changed in place.
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
    Planner planner_;
};

}  // namespace fabricast
