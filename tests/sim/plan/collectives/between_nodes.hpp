#pragma once
// Plans of calls on several nodes, for tests of what NCCL does between nodes.

#include <string>

#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace fabricast::test {

inline Scenario scenario_of(const std::string& collective, std::uint32_t nodes, const std::string& size,
                            const std::string& algorithm, const std::string& protocol, const std::string& cluster,
                            const std::string& nccl) {
    const std::string h100 = "node: dgx-h100, fabric: {kind: rail-optimized, link: infiniband-ndr, switch: quantum-2}";
    return parse_scenario(
        "name: between\ncluster: {nodes: " + std::to_string(nodes) + ", " + (cluster.empty() ? h100 : cluster) +
            "}\nworkload: {kind: collective, collective: " + collective + ", sizes: [" + size +
            "], algorithm: " + algorithm + ", protocol: " + protocol + "}\nlibrary: {nccl: \"" + nccl + "\"}\n",
        "between.yaml");
}

inline CallPlan plan_of(const std::string& collective, std::uint32_t nodes, const std::string& size,
                        const std::string& algorithm, const std::string& protocol, const std::string& cluster = "",
                        const std::string& nccl = "2.22") {
    const Scenario s = scenario_of(collective, nodes, size, algorithm, protocol, cluster, nccl);
    const Fabric fabric(build(s, catalogue()));
    return Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(sizes_of(s.workload)->front());
}

inline const std::string efa = "node: hgx-h100-efa, fabric: {kind: fat-tree, link: efa-v2}";

inline const Pipeline& pipeline_of(const CallPlan& plan) { return plan.schedule.pipelines.at(0); }

inline const Stage& network_stage(const CallPlan& plan) {
    return plan.schedule.stages.at(pipeline_of(plan).first_stage + pipeline_of(plan).stage_count - 1);
}
inline double network_hops(const CallPlan& plan) { return network_stage(plan).count; }

inline double network_figure(const char* figure) { return catalogue().at("kernel", "nccl-network").number(figure); }

}  // namespace fabricast::test
