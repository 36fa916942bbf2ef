#include "validate/curves/unsaid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "validate/curves/derive.hpp"
#include "validate/curves/derive_software.hpp"
#include "validate/import/alias.hpp"

namespace fabricast::inline curves {
namespace {

// How often each turns out otherwise: among the files that do say it, about one in five launches several GPUs from one
// process, and one in ten between nodes has no GPUDirect. About one in three of those without a version had not the
// usual one. Of the systems of four and eight GPUs a node that say it, 11 of 41 have half as many NICs as GPUs. Of
// eight hosts through whose memory cards were measured (L40S, A100 and twice RTX 4090 at their slots' rate; DGX A100
// with peers off and RTX 5090 at 0.6 to 0.7 of it; A40 and RTX 4090 at 0.1 to 0.3) four carry less. How often a box has
// not its usual number of sockets nobody counted: three in ten is a guess.
constexpr double one_process = 0.2, without_gpu_direct = 0.1, other_release = 0.35, half_the_nics = 0.25,
                 slower_host = 0.45, other_sockets = 0.3;

// Another case of it, for the caller to make: so far as the scenario takes it.
Scenario& add_other(Unsaid& unsaid, std::string value, const Derived& derived) {
    unsaid.others.push_back({std::move(value), derived.scenario});
    return unsaid.others.back().scenario;
}

Unsaid other_releases(const Measurement& m, const Derived& derived) {
    Unsaid unsaid{"NCCL's version", other_release, {}};
    for (const std::string_view version : releases_in_use(derived.group.generation)) {
        if (out_of_time(version, m) || version == derived.scenario.library.nccl) { continue; }
        add_other(unsaid, std::string(version), derived).library.nccl = version;
    }
    return unsaid;
}

bool tells_gpu_direct(const Measurement& m) {
    static const Pattern told(R"(gpu ?direct|\bgdr)");
    return std::ranges::any_of(std::array{text(m.software, "env"), text(m.system, "network"), text(m.system, "nic"),
                                          text(m.system, "notes"), text(m.software, "notes")},
                               [&](std::string_view words) { return told.found_in(std::string(words)); });
}

Unsaid fewer_nics(const Derived& derived, const Fabric& fabric) {
    Unsaid unsaid{"how many NICs a node has", half_the_nics, {}};
    if (const std::string half = fmt::to_string(fabric.nics_per_node() / 2); half != "0") {
        add_other(unsaid, half, derived).cluster.node_options["nics"] = half;
    }
    return unsaid;
}

// "pcie-gen4-x8" of lanes that are a half of pcie-gen4's; empty: there is none.
std::string narrower(const Fabric& fabric, int times) {
    constexpr int lanes = 16;
    for (const NodeCable& cable : fabric.node().cables) {
        if (!cable.a.starts_with("gpu") || cable.link.family != LinkFamily::pcie) { continue; }
        const std::string_view name = cable.link.name;
        const std::size_t own = name.find("-x");
        const int now = own == name.npos ? lanes : number_in<int>(name.substr(own + 2)).value_or(lanes);
        return now < times ? "" : fmt::format("{}-x{}", name.substr(0, own), now / times);
    }
    return "";
}

// As slots of fewer lanes: latencies stay, and whatever passes between a card and its host takes so much longer.
Unsaid slower_hosts(const Derived& derived, const Fabric& fabric) {
    Unsaid unsaid{"through which host cards exchange their data", slower_host, {}};
    for (const auto& [times, value] : {std::pair{2, "one with half the rate"}, std::pair{4, "a quarter"}}) {
        const std::string slot = narrower(fabric, times);
        if (!slot.empty()) { add_other(unsaid, value, derived).cluster.node_options["slot"] = slot; }
    }
    return unsaid;
}

}  // namespace

std::vector<Unsaid> unsaid_of(const Measurement& m, const Derived& derived, const Fabric& fabric) {
    std::vector<Unsaid> list;
    if (derived.nccl_guessed) { list.push_back(other_releases(m, derived)); }
    if (derived.launch_guessed) {
        Unsaid& launch = list.emplace_back(Unsaid{"how many GPUs a process drives", one_process, {}});
        add_other(launch, "all of a node", derived).launch.mode = LaunchMode::thread;
    }
    const ClusterRequest& cluster = derived.scenario.cluster;
    const bool verbs = cluster.link.starts_with("infiniband") || cluster.link.starts_with("ethernet");
    if (cluster.nodes > 1 && verbs && !cluster.node_options.contains("gpu_direct") && !tells_gpu_direct(m) &&
        derived.scenario.library.network_plugin.empty()) {
        Unsaid& direct = list.emplace_back(Unsaid{"GPUDirect", without_gpu_direct, {}});
        add_other(direct, "off", derived).cluster.node_options["gpu_direct"] = "false";
    }
    if (derived.nics_guessed) { list.push_back(fewer_nics(derived, fabric)); }
    if (const auto& box = derived.other_sockets) {
        Unsaid& sockets = list.emplace_back(Unsaid{"how many sockets the host has", other_sockets, {}});
        ClusterRequest& other = add_other(sockets, box->sockets, derived).cluster;
        other.node_parts = box->parts;
        other.node = box->node;
    }
    const Alias* host = first_match(builtin_aliases().hosts, text(m.system, "cpu"));
    if ((host == nullptr || host->word("part").empty()) && through_host(derived, fabric)) {
        list.push_back(slower_hosts(derived, fabric));
    }
    std::erase_if(list, [](const Unsaid& unsaid) { return unsaid.others.empty(); });
    return list;
}

}  // namespace fabricast::inline curves
