#pragma once
// Diagnoses point-to-point logs (nvbandwidth, the CUDA samples, perftest, OSU bandwidth): compares the rate reached
// with the narrowest link of the path, and lists the causes that narrow the path to that rate.

#include <optional>
#include <string>
#include <vector>

#include "validate/diagnose/diagnose.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline diagnosis {

// What a log measured: source, destination, and the rate at the best size.
struct LinkTest {
    std::string from, to;  // "node0.memory0", "node1.gpu0"
    double rate = 0;       // bytes per second
};

// Empty if the log is of another kind. Throws InputError for tests of both directions at once: no one path.
std::optional<LinkTest> link_test_of(const Measurement& measurement);

struct LinkCause {
    const Cause* cause = nullptr;
    double narrowest = 0;  // bytes per second with this cause
};

struct LinkDiagnosis {
    Finding verdict = Finding::nothing_wrong;
    LinkTest test;
    double narrowest = 0;            // of the healthy path, bytes per second
    std::string link;                // name of that link
    std::vector<LinkCause> fitting;  // causes that explain the rate, best first
};

// `node` is the name of a node template; `cluster` is a scenario that replaces it. If neither is given, the log must
// name a GPU that an alias matches. Throws InputError.
LinkDiagnosis diagnose_link(const Measurement& measurement, const LinkTest& test,
                            const std::optional<Scenario>& cluster, const std::string& node, const Catalog& catalog);

std::string to_text(const LinkDiagnosis& diagnosis, const std::string& id);
Json to_json(const LinkDiagnosis& diagnosis, const std::string& id);

}  // namespace fabricast::inline diagnosis
