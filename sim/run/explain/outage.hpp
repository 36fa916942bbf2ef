#pragma once
// What a failure costs a job: the scenario run healthy and with its events, row beside row, and which ways between
// neighbours had to go round.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

struct OutageRow {
    std::string what;  // "1 GiB", "1024 GPUs"
    double healthy_s = 0, failed_s = 0;
    double cost() const { return failed_s / healthy_s - 1; }
};

// A way between two neighbouring ranks (or the ends of a transfer) that crossed a dead link.
struct Diverted {
    std::string from, to;
    std::string left, taken;  // the first link that the old way lost, and that only the new one crosses
};

struct OutageCost {
    std::string scenario;
    std::vector<std::string> changed;  // links and devices, and what is left of each
    std::vector<OutageRow> rows;
    std::uint32_t ways = 0;     // looked at
    std::uint32_t sprayed = 0;  // of them over a bundle that lost some of its cables
    std::vector<Diverted> diverted;
    std::vector<std::string> cut;  // ways that nothing replaces
};

// The scenario's events against the same without them. Throws as simulate does: CannotEnd where the failed run cannot
// end.
OutageCost outage(const Scenario& scenario, const Catalog& catalog, const Watch& watch = {});

// One cable between two devices, or one device, switch, port or plane, gone from the start.
LinkChange without(const std::vector<std::string>& names);

std::string to_text(const OutageCost& outage);
Json to_json(const OutageCost& outage);

}  // namespace fabricast
