#pragma once
// What a failure costs a job: the scenario without and with its events, and which paths between ranks need a detour.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline explain {

struct OutageRow {
    std::string what;  // "1 GiB", "1024 GPUs"
    double healthy_s = 0, failed_s = 0;
    double cost() const { return failed_s / healthy_s - 1; }
};

// A path between two neighbouring ranks (or between the ends of a transfer) that crossed a dead link.
struct Diverted {
    std::string from, to;
    std::string left, taken;  // the first dead link of the old path, and the first link that only the new path crosses
};

struct OutageCost {
    std::string scenario;
    std::vector<std::string> changed;  // links and devices, each with its remaining capacity
    std::vector<OutageRow> rows;
    std::uint32_t ways = 0;     // number of paths examined
    std::uint32_t sprayed = 0;  // those that cross a bundle which lost some of its cables
    std::vector<Diverted> diverted;
    std::vector<std::string> cut;    // paths without a detour
    std::vector<std::string> notes;  // of the failed run alone: events that the time does not show
};

// Runs the scenario with its events and without them. Throws as simulate does: CannotEnd if the failed run cannot end.
OutageCost outage(const Scenario& scenario, const Catalog& catalog, const Watch& watch = {});

// A change that takes down a cable between two devices (two names), or a device, switch, port or plane, from the start.
LinkChange without(const std::vector<std::string>& names);

std::string to_text(const OutageCost& outage);
Json to_json(const OutageCost& outage);

}  // namespace fabricast::inline explain
