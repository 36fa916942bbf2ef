#pragma once
// What a scenario runs on: its catalogue, and the cluster made from it. Scenario + Catalog -> Cluster: resolves names
// to catalogue parts and fills in the usual values of what the scenario does not state.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// The catalogue for a scenario: the program's own parts, a user's folder of parts, and overlays of measured figures
// over both. An empty `folder` adds none. The scenario's own `calibration:` is merged first, then `overlays`. Throws as
// read_catalog and merge_overlay do; InputError at `calibration` if an overlay of the scenario cannot be read.
Catalog calibrated_catalog(const std::string& folder, const Scenario* scenario,
                           const std::vector<std::string>& overlays);

// Throws InputError at the key whose value cannot be built: an unknown part (the message suggests the nearest name), a
// NIC count that the template cannot have, a link for which the catalogue has no switch.
Cluster build(const Scenario& scenario, const Catalog& catalog);

// The nodes' names that the scenario gives; none if it gives none.
std::vector<std::string> host_names(const Scenario& scenario);

// Numbers of the nodes that a list under `key` names: by `cluster.hosts`, or "node3". Throws InputError there.
std::vector<std::uint32_t> node_numbers(const Scenario& scenario, std::string_view key, const std::string& list);

// The same with another number of nodes, for a scaling table. A single node keeps a fabric that the scenario names.
Cluster build(const Scenario& scenario, const Catalog& catalog, std::uint32_t nodes);

}  // namespace fabricast::inline scenario
