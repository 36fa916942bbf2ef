#pragma once
// All transports, and the choice among them. To add one: a function in kinds/, its word in CMakeLists.txt, and a part.

#include <string>
#include <vector>

#include "sim/plan/collectives/plan.hpp"
#include "sim/plan/transfers/data_path.hpp"

namespace fabricast::inline transfers {

struct RefusedTransport {
    std::string transport, reason;
};

// The chosen path, and the transports that are preferred to it but were refused.
struct ChosenPath {
    DataPath path;
    std::vector<RefusedTransport> refused;
};

// The hardware and its conditions allow no transport; the message says why each one was refused.
struct NoDataPath : PlanError {
    explicit NoDataPath(const std::string& what) : PlanError(what, "workload.transport") {}
};

// The transports' names as `auto` tries them (the catalogue's `preference`); those of preference 0, never tried, last.
std::vector<std::string> transport_names(const Catalog& catalog,
                                         std::span<const Transport> transports = every_transport());

// The path by `transport` or, for "auto", by the most preferred that is not refused. Throws NoDataPath, CatalogError.
ChosenPath choose_path(const std::string& transport, const PathRequest& request);

}  // namespace fabricast::inline transfers
