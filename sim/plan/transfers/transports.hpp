#pragma once
// Every way that data may take, and the choice among them. To add one: a file in kinds/ and a part in the catalogue.

#include <string>
#include <vector>

#include "sim/plan/collectives/library.hpp"
#include "sim/plan/transfers/data_path.hpp"

namespace fabricast {

struct Candidate {
    std::string transport;
    PathAttempt attempt;
};

// What was taken, and what stands before it in the order of preference and was refused.
struct ChosenPath {
    DataPath path;
    std::vector<Candidate> refused;
};

// The hardware and its conditions allow no way; the message says why each was refused.
struct NoDataPath : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Names of the transports, best first as `auto` tries them (the catalogue's `preference`); those with preference 0,
// which `auto` never takes, at the end.
std::vector<std::string> transport_names(const Catalog& catalog);

// One transport asked by its name. Throws CatalogError for an unknown one.
PathAttempt attempt(const std::string& transport, const PathRequest& request);

// `transport` or, for "auto", the most preferred that is not refused. Throws NoDataPath.
ChosenPath choose_path(const std::string& transport, const PathRequest& request);

}  // namespace fabricast
