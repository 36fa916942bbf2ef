#pragma once
// A transfer on a machine, ready to be asked for messages of any size.

#include <string>

#include "sim/plan/timelines.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"

namespace fabricast {

inline constexpr Bytes tiny_message{8};
inline constexpr Bytes mebi{1 << 20};
inline constexpr Bytes big{256 << 20};

inline const std::string two_a100 = "node: dgx-a100, nodes: 2";

struct Case {
    // `cluster` between its braces, `lines` below `workload:`.
    Case(const std::string& cluster, const std::string& lines)
        : scenario(
              parse_scenario("name: t\ncluster: {" + cluster + "}\nworkload:\n  kind: transfer\n" + lines, "t.yaml")),
          fabric(fabric_for(scenario.workload, Fabric(build(scenario, catalogue())), catalogue())) {}

    const TransferWorkload& workload() const { return std::get<TransferWorkload>(scenario.workload); }
    Exchange at(Bytes size, const Engine& engine = Flow{}) const {
        return exchange_at(size, scenario.workload, {fabric, scenario.library, scenario.launch, catalogue()}, engine);
    }

    Scenario scenario;
    Fabric fabric;
};

inline double figure(const std::string& part, const std::string& name) { return catalogue().find(part)->number(name); }

// Why `auto` did not take the transport; empty where it was not tried.
inline std::string refusal_of(const Exchange& e, const std::string& transport) {
    for (const RefusedTransport& refused : e.choice.refused) {
        if (refused.transport == transport) { return refused.reason; }
    }
    return "";
}

}  // namespace fabricast
