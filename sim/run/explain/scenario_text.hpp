#pragma once
// A scenario and an overlay over the catalogue as YAML, which a user could have written.

#include <map>
#include <set>
#include <string>
#include <utility>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline explain {

// Key by key, as the parser resolved it.
std::string scenario_yaml(const Scenario& scenario);

// An overlay that multiplies some figures by a factor.
class OverlayText {
public:
    explicit OverlayText(const Catalog& catalog) : catalog_(catalog) {}

    // Does nothing if the part does not exist or has no such figure, or if the figure was scaled before.
    void scale(const std::string& part, const std::string& figure, double factor);
    bool empty() const { return done_.empty(); }
    // `source`: what every figure of the overlay names as its source.
    std::string text(const std::string& source) const;

private:
    const Catalog& catalog_;
    std::set<std::pair<std::string, std::string>> done_;
    std::map<std::string, std::string> lines_;  // lines by part name
};

}  // namespace fabricast::inline explain
