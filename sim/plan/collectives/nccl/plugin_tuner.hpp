#pragma once
// What a network plugin's tuner chooses in NCCL's stead (models/catalog/tuners.yaml).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/plan/collectives/nccl/tuning.hpp"

namespace fabricast::inline collectives::nccl {

// A choice, and the polygon of sizes and ranks in which it is taken.
struct TunerRegion {
    std::string algorithm, protocol;                 // "nvls-tree", "simple"
    std::vector<std::pair<double, double>> corners;  // logarithms of bytes and ranks

    // An edge belongs to the region.
    bool holds(double bytes, double ranks) const;
};

// The regions for one collective of the tuner that NCCL finds with the plugin of this link, in the order in which they
// are asked; none: the choice is NCCL's. Notes what chooses, and a tuner that was asked for in vain.
std::vector<TunerRegion> plugin_regions(const Catalog& catalog, std::string_view link, const Communicator& comm,
                                        const Version& version, Collective collective, Environment& environment);

// The first of `able` that a region with this size takes; none: the choice is NCCL's.
std::optional<Estimate> tuned(const std::vector<TunerRegion>& regions, double bytes, double ranks,
                              const std::vector<Estimate>& able);

}  // namespace fabricast::inline collectives::nccl
