#pragma once
// From what a measurement file says in words to the scenario that forecasts it. Whatever the file leaves open becomes
// an assumption, printed; whatever no alias understands is refused by name.

#include "topologies/fabric.hpp"
#include "validate/curves/derived.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

// Throws InputError at the statement that is not understood, with what is accepted and the nearest name.
Derived derive(const Measurement& measurement, const AliasTable& table);

// The group as the built fabric tells it: whether cards on PCIe reach each other or go through the host is in no
// file's words, but in the node that they stand for.
SystemGroup group_on(const Fabric& fabric, const Derived& derived);

}  // namespace fabricast
