#pragma once
// What a network plugin's tuner chooses in NCCL's stead (models/catalog/tuners.yaml).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/collectives/nccl/tuning.hpp"

namespace fabricast::inline collectives::nccl {

// A choice, and the polygon of sizes and ranks in which it is taken.
struct TunerRegion {
    std::string algorithm, protocol;                 // "nvls-tree", "simple"
    std::vector<std::pair<double, double>> corners;  // logarithms of bytes and ranks

    // An edge belongs to the region.
    bool holds(double bytes, double ranks) const;
};

// The part of the tuner for this platform and communicator, null if the plugin has none for it.
const Part* plugin_tuner(const Catalog& catalog, std::string_view link, const Communicator& comm);

// Its regions for one collective, in the order in which they are asked.
std::vector<TunerRegion> regions_of(const Part& tuner, Collective collective);

// The first of `able` that a region with this size takes; none: the choice is NCCL's.
std::optional<Estimate> tuned(const std::vector<TunerRegion>& regions, double bytes, double ranks,
                              const std::vector<Estimate>& able);

}  // namespace fabricast::inline collectives::nccl
