#pragma once
// The same question for point-to-point logs (nvbandwidth, the CUDA samples, perftest, OSU bandwidth): the rate that was
// reached beside the narrowest link on the path, and the causes that narrow it.

#include <optional>
#include <string>
#include <vector>

#include "validate/diagnose/diagnose.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

// What a log timed: from which device to which, and the rate it reached at its best size.
struct LinkTest {
    std::string from, to;  // "node0.memory0", "node1.gpu0"
    double rate = 0;       // bytes per second
};

// Nothing where the log is of another kind. Throws InputError for tests of both directions at once, which one path
// does not tell.
std::optional<LinkTest> link_test_of(const Measurement& measurement);

struct LinkCause {
    const Cause* cause = nullptr;
    double narrowest = 0;  // bytes per second with this cause
};

struct LinkDiagnosis {
    Finding verdict = Finding::nothing_wrong;
    LinkTest test;
    double narrowest = 0;            // of the healthy path
    std::string link;                // its name
    std::vector<LinkCause> fitting;  // causes whose path explains the rate, best first
};

// `node`: the template; `cluster`: a scenario instead. Where neither is given the log must name a GPU that an alias
// knows. Throws InputError.
LinkDiagnosis diagnose_link(const Measurement& measurement, const LinkTest& test,
                            const std::optional<Scenario>& cluster, const std::string& node, const AliasTable& aliases,
                            const Catalog& catalog);

std::string to_text(const LinkDiagnosis& diagnosis, const std::string& id);
Json to_json(const LinkDiagnosis& diagnosis, const std::string& id);

}  // namespace fabricast
