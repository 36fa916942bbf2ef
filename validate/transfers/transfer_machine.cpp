#include "validate/transfers/transfer_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "validate/curves/derive_network.hpp"
#include "validate/curves/derive_node.hpp"

namespace fabricast::inline validate_transfers {

TransferMachine machine_of(const Measurement& m) {
    const auto stated = [&](std::string_view key) { return count_in_word(text(m.system, key)).value_or(0); };
    const auto of_a_gpu = [](const std::string& column) {
        return column.starts_with("dst") || column.starts_with("gpu");
    };
    const std::int64_t gpus =
        std::max({std::int64_t{1}, stated("gpus_per_node"), std::int64_t{std::ranges::count_if(m.columns, of_a_gpu)}});
    curves::NodeChoice choice = curves::understood_node(m);
    // The trays of one NVLink domain are one node, across which GPUs are peers; adapters are measured between two
    // nodes.
    const auto trays = static_cast<std::uint32_t>(stated("nodes"));
    const bool domain = choice.intra == "nvl72" && m.kind == "p2p" && trays > 1 && !curves::apart_in_words(m);
    const auto whole = static_cast<std::uint32_t>(gpus) * (domain ? trays : 1);
    curves::choose_node(m, whole, choice);
    if (domain) { choice.assumptions.push_back(fmt::format("nodes: {} trays of one NVLink domain, one node", trays)); }
    curves::Derived machine;
    machine.scenario.cluster.node = choice.node;
    machine.scenario.cluster.node_parts = choice.parts;
    // Two processes of one node that talk through its adapter are forecast on two nodes of a network as well.
    const bool adapter = m.kind == "rdma" && (!text(m.system, "nic").empty() || !text(m.system, "network").empty());
    machine.scenario.cluster.nodes = !domain && (stated("nodes") > 1 || adapter) ? 2 : 1;
    if (!choice.parts) { machine.scenario.cluster.node_options["gpu"] = choice.gpu->word("part"); }
    machine.group.generation = choice.gpu->word("generation");
    machine.assumptions = choice.assumptions;
    curves::derive_network(m, machine);
    return {machine.scenario.cluster, machine.assumptions, curves::both_spreads(choice.spread, machine.spread),
            domain ? static_cast<std::uint32_t>(gpus) : 0, choice.named ? "" : "the GPU is not stated"};
}

}  // namespace fabricast::inline validate_transfers
