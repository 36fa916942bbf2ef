#pragma once
// One job forecast on two small clusters: without a fault and with it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"

namespace fabricast::inline site {

struct Compared {
    std::string text;      // "all_reduce at 1 GiB: 506 GB/s -> 45 GB/s"; empty where either cannot be forecast
    bool differs = false;  // by more than a thousandth
};

// Clusters are texts, the keys below a scenario's `cluster:`. What was forecast once is kept.
class Forecasts {
public:
    explicit Forecasts(const Catalog& catalog) : catalog_(catalog) {}

    // `where` says how the job meets the fault; `event`: keys of a scenario that make it.
    Compared compare(const std::string& collective, const std::string& where, const std::string& without,
                     const std::string& with, const std::string& event = {});
    // Bus bandwidth at 1 GiB in bytes a second.
    std::optional<double> busbw(const std::string& cluster, const std::string& collective,
                                const std::string& event = {});

private:
    const Catalog& catalog_;
    std::map<std::string, std::optional<double>> known_;
};

// All of them in one line; `why` none of them differs. A line is never empty.
std::string told(const std::vector<Compared>& jobs, const std::string& why);

}  // namespace fabricast::inline site
