#pragma once
// Sites for tests: texts by file name, joined and described.

#include <string>
#include <utility>
#include <vector>

#include "discovery/format.hpp"
#include "discovery/site/checks.hpp"
#include "discovery/site/costs.hpp"
#include "discovery/site/describe.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::testing {

using Texts = std::vector<std::pair<std::string, std::string>>;  // file and text

inline const Catalog& catalogue() {
    static const Catalog catalog = read_catalog();
    return catalog;
}

inline Observations seen_in(const std::string& text, const std::string& file = "some.txt") {
    return observe(SourceText(text, file));
}

inline Site site_of(const Texts& texts) {
    std::vector<Observations> seen;
    for (const auto& [file, text] : texts) { seen.push_back(seen_in(text, file)); }
    return join(std::move(seen));
}

inline std::vector<Finding> findings_of(const Texts& texts) {
    Site site = site_of(texts);
    const Description made = describe(site, catalogue(), {});
    return check(site, made, catalogue(), {});
}

inline Fabric fabric_of(const std::string& yaml) {
    return Fabric(build(parse_scenario(yaml, "test.yaml"), catalogue()));
}

// A scenario with one collective on such a cluster, in YAML's flow style: "{node: dgx-h100, nodes: 4}".
inline std::string scenario_on(const std::string& cluster) {
    return "name: test\ncluster: " + cluster +
           "\nworkload: {kind: collective, collective: all_reduce, sizes: [64 MiB]}\n";
}

}  // namespace fabricast::testing
