#include "validate/curves/derive.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "validate/curves/derive_network.hpp"
#include "validate/curves/derive_node.hpp"
#include "validate/curves/derive_software.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline curves {
namespace {

// The enumerator with this name. Throws std::out_of_range if the alias table names none.
template <class Enum> Enum spelled(std::string_view name) {
    for (std::uint8_t i = 0;; ++i) {
        if (to_string(static_cast<Enum>(i)) == name) { return static_cast<Enum>(i); }
    }
}

constexpr std::uint32_t most_ranks = 1U << 20U;  // also of nodes, of GPUs of a node

// A count as the file states it; 0 if it does not. Throws if the text is not a count.
std::uint32_t count(const MeasurementSection& section, std::string_view key) {
    const auto found = section.find(key);
    if (found == section.end()) { return 0; }
    const std::uint32_t value = number_in<std::uint32_t>(found->second.text).value_or(0);
    if (value == 0 || value > most_ranks) {
        refuse(found->second.place, fmt::format("{} is not a count", key), shown(found->second.text),
               fmt::format("1 to {}", most_ranks));
    }
    return value;
}

// The alias that matches a statement. Throws if no row of the list matches.
const Alias& understood(const Measurement& measurement, const MeasurementSection& section, std::string_view key,
                        const AliasList& list, std::string_view meaning) {
    const auto found = section.find(key);
    std::vector<std::string> names;
    for (const Alias& alias : list) {
        if (const std::string name(alias.word(meaning)); std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    if (found == section.end()) {
        refuse(measurement.place, fmt::format("the file does not say its {}", key), "", joined(names));
    }
    if (const Alias* alias = first_match(list, found->second.text)) { return *alias; }
    refuse(found->second.place, fmt::format("a {} that no alias understands", key), shown(found->second.text),
           joined(names), nearest_word(lower_case(found->second.text), names));
}

struct Counts {
    std::uint32_t nodes = 1;
    std::uint32_t used = 1;  // GPUs of each node that take part
    std::uint32_t ranks = 1;
};

Counts counts(const Measurement& m, Derived& out) {
    Counts c;
    c.nodes = count(m.system, "nodes");
    c.ranks = count(m.benchmark, "ranks");
    const std::uint32_t per_node = count(m.system, "gpus_per_node");
    if (const std::uint32_t used = count(m.system, "gpus_used"); c.ranks == 0 && used != 0) { c.ranks = used; }
    if (c.nodes == 0) {
        c.nodes = per_node == 0 || c.ranks == 0 ? 1 : (c.ranks + per_node - 1) / per_node;
        out.assumptions.push_back(fmt::format("nodes: not stated; {}", c.nodes));
    }
    if (c.ranks == 0) {
        if (per_node == 0) {
            throw InputError(m.place, "the file says neither `benchmark.ranks` nor `system.gpus_per_node`");
        }
        if (c.nodes > most_ranks / per_node) {
            refuse(place_of(m.system, "nodes", m.place), "too many GPUs in all",
                   fmt::format("{} nodes of {}", c.nodes, per_node), fmt::format("at most {}", most_ranks));
        }
        c.ranks = c.nodes * per_node;
        out.assumptions.push_back(fmt::format("ranks: not stated; every GPU of every node, {}", c.ranks));
    }
    if (c.ranks % c.nodes != 0) {
        refuse(place_of(m.benchmark, "ranks", m.place), "ranks that do not divide over the nodes",
               std::to_string(c.ranks), fmt::format("a multiple of {}", c.nodes));
    }
    c.used = c.ranks / c.nodes;
    if (per_node != 0 && c.used > per_node) {
        refuse(place_of(m.benchmark, "ranks", m.place), "more ranks a node than it has GPUs",
               fmt::format("{} on {} of {}", c.ranks, plural(c.nodes, "node"), per_node),
               fmt::format("at most {}, for NCCL gives each rank a GPU of its own", per_node * c.nodes));
    }
    return c;
}

// How many NVLink domains the GPUs of a rack-scale machine are spread over: stated, told in words, or as few racks as
// hold them.
std::uint32_t nvlink_domains(const Measurement& m, const Counts& c) {
    constexpr std::uint32_t rack = 72;
    if (const std::uint32_t stated = count(m.system, "nvlink_domains"); stated != 0) { return stated; }
    return apart_in_words(m) ? c.nodes : (c.ranks + rack - 1) / rack;
}

void derive_node(const Measurement& m, const Counts& c, Derived& out) {
    NodeChoice choice = understood_node(m);
    out.group.generation = choice.gpu->word("generation");
    ClusterRequest& cluster = out.scenario.cluster;
    cluster.nodes = c.nodes;
    cluster.gpus_per_node = c.used;
    std::uint32_t used = c.used;
    if (choice.intra == "nvl72" && c.nodes > 1) {
        // The trays of one rack form one NVLink domain, which is one node in the catalogue.
        cluster.nodes = nvlink_domains(m, c);
        if (c.ranks % cluster.nodes != 0) {
            refuse(place_of(m.system, "nodes", m.place), "GPUs that do not divide over NVLink domains",
                   std::to_string(c.ranks), fmt::format("a multiple of {}", cluster.nodes));
        }
        cluster.gpus_per_node = used = c.ranks / cluster.nodes;
        choice.assumptions.push_back(fmt::format("nodes: {} trays of {}, each of which is one node", c.nodes,
                                                 plural(cluster.nodes, "NVLink domain")));
    }
    choose_node(m, used, choice);
    cluster.node = choice.node;
    cluster.node_parts = choice.parts;
    out.other_sockets = choice.other_sockets;
    out.group.fabric = choice.intra == "nvl72" ? "nvswitch" : choice.intra;
    out.spread = choice.spread;
    out.gpu_guessed = !choice.named;
    out.assumptions.insert(out.assumptions.end(), choice.assumptions.begin(), choice.assumptions.end());
    if (const Alias* host = first_match(builtin_aliases().hosts, text(m.system, "cpu"))) {
        cluster.node_options["cpu_vendor"] = host->word("vendor");
    }
}

DataType dtype_of(const Measurement& m, Derived& out) {
    const std::string_view said = text(m.benchmark, "dtype");
    if (said.empty()) {
        out.assumptions.emplace_back("dtype: not stated; float32");
        return DataType::float32;
    }
    return spelled<DataType>(understood(m, m.benchmark, "dtype", builtin_aliases().dtypes, "dtype").word("dtype"));
}

}  // namespace

Derived derive(const Measurement& m) {
    Derived out;
    out.scenario.name = m.id;
    out.scenario.file = m.file;
    const Counts c = counts(m, out);
    out.ranks = c.ranks;
    derive_node(m, c, out);
    const Alias& collective = understood(m, m.benchmark, "collective", builtin_aliases().collectives, "collective");
    collective_of(out.scenario).collective = spelled<Collective>(collective.word("collective"));
    collective_of(out.scenario).dtype = dtype_of(m, out);
    derive_software(m, out);
    derive_network(m, out);
    out.scenario.engine = Analytic{};
    return out;
}

bool through_host(const Derived& derived, const Fabric& fabric) {
    const std::map<std::string, std::string>& env = derived.scenario.library.env;
    const auto off = env.find("NCCL_P2P_DISABLE");
    if (off != env.end() && off->second == "1") { return true; }
    return inside_of(fabric) == "pcie-host" && (!env.contains("NCCL_P2P_LEVEL") || !fabric.node().peer_to_peer);
}

SystemGroup group_on(const Fabric& fabric, const Derived& derived) {
    SystemGroup group = derived.group;
    if (group.fabric == "pcie") { group.fabric = through_host(derived, fabric) ? "pcie-host" : "pcie"; }
    return group;
}

}  // namespace fabricast::inline curves
