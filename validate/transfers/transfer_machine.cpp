#include "validate/transfers/transfer_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "base/yaml.hpp"
#include "validate/curves/derive_network.hpp"
#include "validate/curves/derive_node.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline validate_transfers {

namespace {

// Adds drives to the node: those of the template's own variant with storage, or a box's, on its processors. Returns how
// many share the benchmark's work.
std::uint32_t add_drives(const Measurement& m, curves::NodeChoice& choice) {
    static const Pattern several(R"((\d+) ?x? ?(nvme|drives?|ssds?)\b)"), newest(R"(gen ?5|pcie ?5|pm1753|cm7|9550)");
    const std::string words = fmt::format("{} | {}", text(m.system, "storage"), text(m.system, "notes"));
    const std::optional<Pattern::Groups> match = several.first_in(words);
    constexpr std::int64_t most = 8;
    const std::int64_t said = match ? count_in_word(*(*match)[1]).value_or(1) : 1;
    if (said < 1 || said > most) { refuse(m.place, "a number of drives that cannot be", shown(words), "1 to 8"); }
    if (choice.parts) {
        const std::string part = newest.found_in(words) ? "nvme-gen5" : "nvme-gen4";
        std::string devices, cables;
        for (std::int64_t i = 0; i < said; ++i) {
            devices += fmt::format("{{name: nvme{}, part: {}}},", i, part);
            cables += fmt::format("{{from: nvme{}, to: cpu0, link: pcie-gen{}-x4}},", i, part.back());
        }
        const yaml::Node more = yaml::parse(fmt::format("{{devices: [{}], cables: [{}]}}", devices, cables), m.file);
        for (const yaml::Node& child : more.members()) { choice.parts->children.push_back(child); }
        choice.assumptions.push_back(fmt::format("drives: {} x {} on the first processor", said, part));
    } else {
        choice.node += "-storage";  // a template's drives are beside its GPUs
        choice.assumptions.push_back("drives: those of " + choice.node);
    }
    return static_cast<std::uint32_t>(said);
}

}  // namespace

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
    const std::uint32_t drives =
        text(m.benchmark, "tool").find("gdsio") != std::string_view::npos ? add_drives(m, choice) : 0;
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
    return {machine.scenario.cluster,
            machine.assumptions,
            curves::both_spreads(choice.spread, machine.spread),
            domain ? static_cast<std::uint32_t>(gpus) : 0,
            drives,
            choice.named ? "" : "the GPU is not stated"};
}

}  // namespace fabricast::inline validate_transfers
