#include "validate/curves/derive_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/text.hpp"
#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "sim/scenario/build_parts.hpp"
#include "validate/curves/derive_node.hpp"
#include "validate/import/alias.hpp"

namespace fabricast::inline curves {
namespace {

std::uint32_t digits(std::string_view words) {
    std::uint32_t value = 0;
    std::from_chars(words.data(), words.data() + words.size(), value);
    return value;
}

// Rate of one port in Gb/s and number of ports, as far as the text states them; 0: unknown.
struct Ports {
    std::uint32_t gbps = 0;
    std::uint32_t count = 0;
    std::uint32_t split = 1;  // as so many ports each adapter runs
    std::string link;         // if a name says more than the rate: a half-width port
};

// "8x 400 Gb/s" -> 400, 8; "RoCE 400 Gb/s per node" and two NICs -> 200. Case-sensitive, because the unit distinguishes
// bits from bytes. "800 Gb/s split into 2 x 400" -> 400, two a NIC. "2x400G per GPU" -> 400, twice the GPUs of a node.
Ports ports_in_figures(const std::string& words, std::uint32_t nics, std::uint32_t gpus) {
    static const Pattern split(R"(\bsplit (?:in|into) (\d+) ?[x×] ?(\d+))");
    static const Pattern rate(
        R"((?:\b(\d+) ?[x×*] ?|\b)(\d+) ?(?:Gb/s|Gb ps|Gbps|Gbit/s|Gbit|GbE|Gigabit|G\b)(\s*(?:per node|in total|total|aggregate))?(\s*(?:per|a|for each) GPU)?)",
        Pattern::Case::counts);
    Ports ports;
    if (const auto parts = split.first_in(words)) { return {digits(*(*parts)[2]), 0, digits(*(*parts)[1]), ""}; }
    const std::optional<Pattern::Groups> match = rate.first_in(words);
    if (!match) { return ports; }
    ports.count = (*match)[1] ? digits(*(*match)[1]) : 0;
    ports.gbps = digits(*(*match)[2]);
    if ((*match)[3] && nics > 1 && ports.count == 0) { ports.gbps /= nics; }
    if ((*match)[4]) { ports.count = std::max(1U, ports.count) * gpus; }
    return ports;
}

// "4x ConnectX-7" -> 4. Skips "4x8 GPUs", which counts nodes.
std::uint32_t count_in_words(const std::string& words) {
    static const Pattern times(R"(\b(\d+) ?[x×*](\d+ ?GPU)?)");
    for (const Pattern::Groups& match : times.all_in(words)) {
        if (!match[2]) { return digits(*match[1]); }
    }
    return 0;
}

// What names say of a port. A generation or an instance goes before the adapter, which may run in a slower mode.
const Alias* port_name(std::string_view nic, std::string_view network, const std::string& service) {
    const AliasList& speeds = builtin_aliases().speeds;
    const Alias* by_nic = first_match(speeds, nic);
    const Alias* by_network = first_match(speeds, network);
    const auto is_adapter = [](const Alias& alias) { return !alias.word("adapter").empty(); };
    if (by_nic != nullptr && !(is_adapter(*by_nic) && by_network != nullptr && !is_adapter(*by_network))) {
        return by_nic;
    }
    return by_network != nullptr ? by_network : first_match(speeds, service);
}

// GPUs of a node as the file counts nodes.
std::uint32_t gpus_of_node(const Measurement& m, const Derived& out) {
    const std::uint32_t stated = digits(text(m.system, "gpus_per_node"));
    return stated != 0 ? stated : std::max(1U, out.scenario.cluster.gpus_per_node);
}

Ports ports_of(const Measurement& m, const std::string& family, Derived& out) {
    const Alias* known = first_match(builtin_aliases().gpus, text(m.system, "gpu"));
    const std::string gpu(known == nullptr ? "" : known->word("gpu"));
    const std::string nic(text(m.system, "nic"));
    const std::string network(text(m.system, "network"));
    const std::uint32_t stated = digits(text(m.system, "nics_per_node"));
    Ports ports;
    for (const std::string& words : {nic, network}) {
        if (ports.gbps == 0) { ports = ports_in_figures(words, stated, gpus_of_node(m, out)); }
    }
    const Alias* named = port_name(nic, network, family + " " + gpu);
    constexpr std::uint32_t fastest_port = 800;
    if (ports.gbps > fastest_port && stated == 0 && named != nullptr) {
        ports = {};  // the rate of the whole node, although the text does not say so
    } else if (ports.gbps > fastest_port && stated > 1 && ports.count == 0) {
        ports.gbps /= stated;
    } else if (const std::uint32_t gpus = gpus_of_node(m, out);
               ports.gbps > fastest_port && ports.count == 0 && gpus > 1 && ports.gbps % gpus == 0) {
        out.assumptions.push_back(
            fmt::format("nics: {} Gb/s are taken for a node's total, over {} NICs, one a GPU", ports.gbps, gpus));
        ports.gbps /= gpus;
        ports.count = gpus;
    }
    if (ports.gbps == 0 && named != nullptr) { ports.gbps = digits(named->word("gbps")); }
    if (ports.gbps == 0) {
        ports.gbps = digits(word_in(builtin_aliases().speed_by_generation, out.group.generation));
        const std::string& said = nic.empty() ? network : nic;
        out.assumptions.push_back(fmt::format("nic speed: {}; {} Gb/s, usual beside {}",
                                              said.empty() ? "not stated" : "none is understood in " + shown(said),
                                              ports.gbps, out.group.generation));
    }
    if (named != nullptr) { ports.link = named->word("link"); }
    ports.count = stated != 0 ? stated * ports.split : ports.count;
    ports.count = ports.count != 0 ? ports.count : count_in_words(nic);
    if (ports.count == 0 && named != nullptr) { ports.count = digits(named->word("nics")); }
    return ports;
}

// `said`: those of the words that people read.
const Alias& network_of(const std::string& words, std::string_view said, Derived& out) {
    static const Alias usual{
        {}, {}, {}, {{"family", "infiniband"}, {"link", "infiniband"}, {"fabric", "rail-optimized"}}};
    const Alias* network = first_match(builtin_aliases().networks, words);
    if (network == nullptr) {
        out.assumptions.push_back(fmt::format("network: {}; InfiniBand, rail-optimised",
                                              said.empty() ? "not stated" : "not told by " + shown(said)));
        return usual;
    }
    if (const std::string_view assumed = network->word("assumed"); !assumed.empty()) {
        out.assumptions.push_back("network: " + std::string(assumed));
        out.spread = both_spreads(out.spread, number_in<double>(network->word("spread")).value_or(1));
    }
    return *network;
}

// The catalogue's link of this family at this rate, else at the nearest rate.
std::string link_of(const std::string& family, std::uint32_t gbps, Derived& out) {
    const WordMap& links = builtin_aliases().link;
    if (const auto found = links.find(fmt::format("{} {}", family, gbps)); found != links.end()) {
        return found->second;
    }
    const auto off = [&](const std::string& key) {
        return std::abs(std::log(digits(std::string_view(key).substr(family.size() + 1)) / std::max(1.0, gbps * 1.0)));
    };
    const WordMap::value_type* best = nullptr;
    for (const WordMap::value_type& entry : links) {
        const bool same = entry.first.starts_with(family + " ");
        if (same && (best == nullptr || off(entry.first) < off(best->first))) { best = &entry; }
    }
    out.assumptions.push_back(
        fmt::format("network: no {} of {} Gb/s in the catalogue; {}", family, gbps, best->second));
    out.spread = both_spreads(out.spread, std::exp(off(best->first)));
    return best->second;
}

// NCCL goes by GPUDirect to a NIC that no host bridge parts from the GPU, unless NCCL_NET_GDR_LEVEL says PHB or SYS.
bool host_staged(const std::string& words, const Derived& out) {
    static const Pattern off(
        R"((gpu ?direct( rdma)?|\bgdr) ?(is )?(off|disabled|inactive)|(no|without) (gpu ?direct|gdr))");
    static const Pattern apart(
        R"(gpu and nic (are )?(not (on |in )?the same|on different) (pcie|root|switch|socket|numa))");
    static const Pattern far_level("phb|sys|[3-5]");
    const auto level = out.scenario.library.env.find("NCCL_NET_GDR_LEVEL");
    const bool never = level != out.scenario.library.env.end() && (level->second == "LOC" || level->second == "0");
    const bool far = level != out.scenario.library.env.end() && far_level.found_in(level->second);
    return never || off.found_in(words) || (apart.found_in(words) && !far);
}

// Hosts of one NVLink domain talk over NVLink, whatever else joins them.
void note_unused(const Measurement& m, Derived& out) {
    const std::string_view network = text(m.system, text(m.system, "network").empty() ? "nic" : "network");
    const std::uint32_t hosts = digits(text(m.system, "nodes"));
    if (hosts > 1 && first_match(builtin_aliases().networks, network) != nullptr) {
        out.assumptions.push_back(fmt::format(
            "network: {} is not used, for the {} nodes are taken to be in one NVLink domain", shown(network), hosts));
    }
}

// Applies the environment that the network's NCCL plugin sets; values set by the user are kept.
void take_plugin_environment(const Alias& network, Derived& out) {
    std::istringstream words{std::string(network.word("env"))};
    std::string taken;
    for (std::string assignment; words >> assignment;) {
        const std::size_t equals = assignment.find('=');
        if (out.scenario.library.env.emplace(assignment.substr(0, equals), assignment.substr(equals + 1)).second) {
            taken += " " + assignment;
        }
    }
    if (!taken.empty()) {
        out.assumptions.push_back("env: as the " + std::string(network.word("family")) + " plugin sets it:" + taken);
    }
}

// Switches to the template that the catalogue has for this node with this network family, if there is one.
void take_network_template(std::string_view family, ClusterRequest& cluster) {
    const auto plain = std::ranges::find(builtin_aliases().nodes, cluster.node, &NodeAlias::node);
    for (const NodeAlias& node : builtin_aliases().nodes) {
        if (plain != builtin_aliases().nodes.end() && node.network == family && node.gpu == plain->gpu &&
            node.intra == plain->intra && node.gpus == plain->gpus) {
            cluster.node = node.node;
        }
    }
}

}  // namespace

void derive_network(const Measurement& m, Derived& out) {
    const std::string words = fmt::format("{} | {} | {} | written {}", text(m.software, "env"),
                                          text(m.system, "network"), text(m.system, "nic"), text(m.source, "date"));
    if (out.scenario.cluster.nodes == 1) {
        if (const Alias* network = first_match(builtin_aliases().networks, words)) {
            take_plugin_environment(*network, out);
        }
        note_unused(m, out);
        return;
    }
    const std::string_view said = text(m.system, text(m.system, "network").empty() ? "nic" : "network");
    const Alias& network = network_of(words, said, out);
    take_plugin_environment(network, out);
    const Ports ports = ports_of(m, std::string(network.word("family")), out);
    ClusterRequest& cluster = out.scenario.cluster;
    const std::string family(network.word("link"));
    cluster.link = ports.link.empty() ? link_of(family, ports.gbps, out) : ports.link;
    cluster.fabric_kind = network.word("fabric");
    out.scenario.library.network_plugin = network.word("transport");
    out.group.fabric = family == "infiniband" ? cluster.link : std::string(network.word("family"));
    take_network_template(network.word("family"), cluster);
    if (ports.count != 0) {
        // The number of NICs is per node as the file counts nodes; if a rack is one node here, that is per tray.
        const std::uint32_t gpus = digits(text(m.system, "gpus_per_node"));
        const std::uint32_t trays = gpus == 0 ? 1 : std::max(1U, cluster.gpus_per_node / gpus);
        cluster.node_options["nics"] = std::to_string(ports.count * trays);
    }
    out.nics_guessed = ports.count == 0 && cluster.gpus_per_node > 1;
    if (host_staged(words, out)) {
        cluster.node_options["gpu_direct"] = "false";
        out.group.fabric += "-host-staged";
    } else {
        // A file of measurements rarely says how its box is wired, and never all that its site sets.
        out.scenario.library.env.emplace("NCCL_NET_GDR_LEVEL", "SYS");
    }
    out.assumptions.push_back(fmt::format(
        "network: {}, {} at {} Gb/s ({}), {}{}", network.word("family"),
        ports.count == 0 ? "as many NICs as the node has" : cluster.node_options.at("nics") + " NICs a node",
        ports.gbps, cluster.link, cluster.fabric_kind,
        cluster.node_options.contains("gpu_direct") ? ", staged through host memory" : ""));
}

std::string take_fitting_nic(ClusterRequest& cluster, const Catalog& catalog) {
    if (cluster.link.empty()) { return ""; }
    const Part& part = catalog.at("link", cluster.link);
    const Rate rate = link_spec(part).rate;
    const NodeTemplate node = node_named(cluster, catalog);
    if (node.nics == 0 || !(nic_spec(catalog.at("nic", node.nic_part)).port_rate < rate)) { return ""; }
    std::optional<NicSpec> fitting;
    for (const Part* other : catalog.of_kind("nic")) {
        const NicSpec nic = nic_spec(*other);
        const bool fits = has_word(nic.speaks, part.word("family")) && !(nic.port_rate < rate);
        if (fits && (!fitting || nic.port_rate < fitting->port_rate)) { fitting = nic; }
    }
    if (!fitting) { return ""; }
    cluster.node_options["nic"] = fitting->name;
    return "nic: " + fitting->name + ", for " + cluster.link + " is faster than the " + node.nic_part + " of a " +
           node.name;
}

}  // namespace fabricast::inline curves
