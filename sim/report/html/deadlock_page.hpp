#pragma once
// A run that cannot end as a page: what waits for what, drawn into the cluster.

#include <string>

#include "sim/report/html/page.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

// `message` is CannotEnd's: the links that it names between quotes are marked.
Page standstill_page(const Scenario& scenario, const Fabric& fabric, const std::string& message);

}  // namespace fabricast::html
