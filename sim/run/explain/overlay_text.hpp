#pragma once
// An overlay over the catalogue as YAML: some figures of it, each times a factor.

#include <set>
#include <string>
#include <utility>

#include "models/catalog.hpp"

namespace fabricast {

class OverlayText {
public:
    explicit OverlayText(const Catalog& catalog) : catalog_(catalog) {}

    // Does nothing where the part has no such figure, or it is scaled already.
    void scale(const std::string& part, const std::string& figure, double factor);
    bool empty() const { return done_.empty(); }
    // `source` of every figure: what the change is called.
    std::string text(const std::string& source) const;

private:
    const Catalog& catalog_;
    std::set<std::pair<std::string, std::string>> done_;
    std::map<std::string, std::string> lines_;  // by part
};

}  // namespace fabricast
