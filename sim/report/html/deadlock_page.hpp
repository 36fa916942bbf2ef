#pragma once
// A page for a run that cannot end: which links wait for which, marked in the picture of the cluster.

#include <string>

#include "sim/report/html/page.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

// `message` is the text of CannotEnd; the links that it names in quotes are marked.
Page deadlock_page(const Scenario& scenario, const Fabric& fabric, const std::string& message);

}  // namespace fabricast::inline report::html
