#pragma once
// The forecast of a measured system: over all that its file leaves open, as a mixture.

#include <memory>
#include <vector>

#include "validate/curves/derived.hpp"
#include "validate/curves/forecast.hpp"

namespace fabricast::inline curves {

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
