#pragma once
// The engine that a scenario asks for, with its figures filled in from the catalogue.

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline scenario {

// For engine packet: the scenario's `packet` block over its preset (a part of kind packet-preset), the buffer of the
// fabric's switch (named by the scenario or chosen by the build), and the scenario's seed. Several message sizes run in
// parallel, so the engine gets all `threads` only if there is a single size. Other engines stay as they are. Throws
// InputError at `packet.preset`.
Scenario with_engine(Scenario scenario, const Fabric& fabric, const Catalog& catalog, std::size_t threads);

}  // namespace fabricast::inline scenario
