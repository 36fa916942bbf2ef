#pragma once
// A measurement of a line each about its system, software and benchmark, and what is derived from it.

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "validate/curves/curve.hpp"
#include "validate/curves/derive.hpp"

namespace fabricast::test {

struct Said {
    std::string system, software = "{nccl: \"2.27.3\"}", benchmark = "{collective: all_reduce}";
    std::string source = "{url: x}";
};

inline Derived derived(const Said& said) {
    return derive(parse_measurement("id: t\nsource: " + said.source + "\nkind: nccl\nsystem: " + said.system +
                                        "\nsoftware: " + said.software + "\nbenchmark: " + said.benchmark +
                                        "\ncolumns: [size_bytes, time_us]\nrows:\n  - [8, 1]\n",
                                    "t.yaml"));
}

inline std::string refusal(const Said& said) {
    try {
        derived(said);
    } catch (const InputError& error) { return error.what(); }
    return "";
}

inline std::string node(const std::string& gpu, const std::string& more = "gpus_per_node: 8, nodes: 1") {
    return derived({"{gpu: \"" + gpu + "\", " + more + "}"}).scenario.cluster.node;
}

inline ClusterRequest cluster(const std::string& gpu, const std::string& network) {
    return derived({"{gpu: \"" + gpu + "\", gpus_per_node: 8, nodes: 2, " + network + "}"}).scenario.cluster;
}

inline bool assumes(const Derived& d, const std::string& words) {
    return std::ranges::any_of(d.assumptions, [&](const std::string& a) { return a.find(words) != std::string::npos; });
}

}  // namespace fabricast::test
