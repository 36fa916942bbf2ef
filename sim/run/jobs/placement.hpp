#pragma once
// Which nodes a job takes, and in which order: its forecast on those it was given, against the best and the worst.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline jobs {

// One way to place the job.
struct Placed {
    std::string name;                  // "as asked"
    std::vector<std::uint32_t> nodes;  // in the order of ranks
    std::string hosts;                 // the same as a list of names
    std::size_t leaves = 0;            // sets of leaves below which they stand
    double time_s = 0;                 // a call of the largest size, or a step
    double against_asked = 1;          // time_s / that of the first
    std::string bottleneck;
};

struct PlacementSearch {
    std::string what;                // "all_reduce of 1 GiB: ring simple, 16 channels"
    std::vector<Placed> placed;      // as asked; these nodes in their best order; the best; the worst
    std::vector<std::string> order;  // hosts of the second
    std::uint64_t tried = 0;         // forecasts made
    bool every_order = false;        // of these nodes: all that differ were tried
    bool every_placement = false;    // of the same number of nodes
    bool interchangeable = true;     // nodes below the same leaves are alike; false: a hash tells them apart
    std::optional<double> bound_s;   // no placement can be faster: the time on one switch
};

struct PlacementOptions {
    std::vector<std::uint32_t> among;  // the nodes that a job may take; empty: all
    std::size_t tries = 200;           // forecasts, about
    std::size_t threads = 1;
};

// Precondition: scenario.cluster.place is not empty. Throws InputError, and what planners and engines throw.
//
// Nodes whose adapters end at the same switches are alike, so a placement is a sequence of sets of leaves. All
// sequences are tried if `tries` suffice; else packed and interleaved ones, and from those on exchanges at random, as
// long as tries are left. What is found is then a lower bound of the worst and an upper bound of the best.
PlacementSearch search_placements(const Scenario& scenario, const Catalog& catalog, const PlacementOptions& options,
                                  const Watch& watch = {});

}  // namespace fabricast::inline jobs
