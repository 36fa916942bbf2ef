#pragma once
// The draws for one design: the time of its workload with each draw's constants, and its costs.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/study/evaluation.hpp"

namespace fabricast::inline studies {

// The seconds that a design spends in the same way as another one, and its own seconds by family, trunks separately.
struct Own {
    double shared = 0;
    std::map<std::pair<std::string, bool>, double> seconds;
};

Own own_time(const Evaluation& one, const Evaluation& other);

struct DrawnDesign {
    const StudyInput& input;
    const Evaluation& evaluation;
    std::uint64_t seed = 1;
    std::uint32_t draws = 0;
    std::vector<double> with_constants;  // its seconds with each draw's constants; empty if there is no other design

    // Measured time / forecast time of one draw, from the errors of such forecasts, which include errors of the
    // constants.
    double form(const Draw& draw) const;
    // The seconds of a draw for the comparison with another design. The error of the constants and of the system
    // applies to all of the time, the error of a family to the design's own stretches, and uneven trunks to each design
    // separately.
    double seconds(const Draw& draw, const Own& own) const;
    // Capital in USD, power in W, and the costs of ownership.
    double capital(const Draw& draw) const { return capital_usd(evaluation.result.parts, &draw); }
    double watts(const Draw& draw) const { return it_watts(evaluation.result.parts, &draw); }
    Ownership owning(const Draw& draw) const {
        return ownership(input.catalog, evaluation.result.parts.bill.gpus, &draw);
    }
    // What the study ranks by: USD per token, or capital times seconds, which is proportional to capital per bus
    // bandwidth.
    double value(const Draw& draw, double seconds) const;
    bool priced() const { return evaluation.result.parts.priced() && evaluation.result.parts.powered(); }

    // `value`, with the interval of what `make` returns for each draw.
    template <class Make> Range range(double value, const Make& make) const {
        std::vector<double> values;
        for (std::uint32_t k = 0; k < draws; ++k) { values.push_back(make(Draw{seed, k})); }
        return range_of(value, values);
    }
};

}  // namespace fabricast::inline studies
