#pragma once
// Reads the figures of cost parts. Every figure that a plan reads is recorded: evidence, intervals and the report's
// list of figures follow from these records.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/plan/collectives/cost_parts.hpp"

namespace fabricast::inline collectives {

class FigureReader {
public:
    // `parts` must outlive the reader. `moved` is read at one end of its 80 % interval, to see how much it matters.
    enum class End : bool { low, high };
    explicit FigureReader(const CostParts& parts, const Figure* moved = nullptr, End end = End::high)
        : parts_(parts), moved_(moved), end_(end) {}

    double kernel(std::string_view figure) { return read(*parts_.kernel, figure); }
    double network(std::string_view figure) { return read(*parts_.network, figure); }
    double transport(std::string_view figure) { return read(*parts_.transport, figure); }
    double launch(std::string_view figure) { return read(*parts_.launch, figure); }

    const CostParts& parts() const { return parts_; }
    std::vector<FigureUsed> figures() const;

    std::vector<std::pair<const Figure*, Trust>> trust() const;  // of every figure read

private:
    double read(const Part& part, std::string_view figure);

    struct Used {
        const Part* part;
        const Figure* figure;
    };
    const CostParts& parts_;
    const Figure* moved_;
    End end_;
    std::map<std::pair<std::string, std::string>, Used> used_;  // part and figure
};

// The figure as reports list it.
FigureUsed figure_used(const std::string& part, const std::string& name, const Figure& figure);

struct Interval {
    double low80 = 0, high80 = 0;  // relative to the forecast, e.g. -0.05 and +0.06
};

// The 80 % interval of a time, from the catalogue's part `forecast-intervals`: how far forecasts with the same
// evidence, scope (inside one node or between nodes) and size regime were from measurements that their constants were
// not fitted to. Regimes: below 64 KiB; 64 KiB to 16 MiB; from 16 MiB on.
Interval interval(const FigureReader& ledger, Evidence misses_like, double bytes);

}  // namespace fabricast::inline collectives
