#pragma once
// The draws for one design: the time of its workload with each draw's constants, and its costs.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/study/evaluation.hpp"

namespace fabricast {

// The seconds that a design spends in the same way as another one, and its own seconds by family, trunks separately.
struct Own {
    double shared = 0;
    std::map<std::pair<std::string, bool>, double> seconds;
};

Own own_time(const Evaluation& one, const Evaluation& other);

class DrawnDesign {
public:
    // Keeps references to its arguments.
    DrawnDesign(const StudyInput& input, const Evaluation& evaluation, std::uint64_t seed)
        : input_(input), evaluation_(evaluation), seed_(seed) {}

    // Measured time / forecast time of one draw, from the errors of such forecasts, which include errors of the
    // constants.
    double form(std::uint32_t index) const;
    // The seconds of a draw for the comparison with another design. The error of the constants and of the system
    // applies to all of the time, the error of a family to the design's own stretches, and uneven trunks to each design
    // separately.
    double seconds(std::uint32_t index, double with_constants, const Own& own) const;
    // Capital in USD, power in W, and the costs of ownership.
    double capital(std::uint32_t index) const;
    double watts(std::uint32_t index) const;
    Ownership owning(std::uint32_t index) const;
    // What the study ranks by: USD per token, or capital times seconds, which is proportional to capital per bus
    // bandwidth.
    double value(std::uint32_t index, double seconds) const;
    bool priced() const { return evaluation_.result.parts.priced() && evaluation_.result.parts.powered(); }

private:
    Draw draw(std::uint32_t index) const { return {seed_, index}; }

    const StudyInput& input_;
    const Evaluation& evaluation_;
    std::uint64_t seed_;
};

template <class Make>
Range drawn_range(double value, std::uint32_t draws, const Make& make) {
    std::vector<double> values;
    for (std::uint32_t k = 0; k < draws; ++k) {
        values.push_back(make(k));
    }
    return range_of(value, std::move(values));
}

}  // namespace fabricast
