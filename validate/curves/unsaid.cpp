#include "validate/curves/unsaid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/pattern.hpp"
#include "validate/curves/derive_software.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline curves {
namespace {

// How often each turns out otherwise: among the files that do say it, about one in five launches several GPUs from one
// process, and one in ten between nodes has no GPUDirect. About one in three of those without a version had not the
// usual one.
constexpr double one_process = 0.2, without_gpu_direct = 0.1, other_release = 0.35;

Unsaid other_releases(const Measurement& m, const Derived& derived) {
    Unsaid unsaid{"NCCL's version", 0, {}};
    for (const std::string_view version : releases_in_use(derived.group.generation)) {
        if (came_later(version, m) || version == derived.scenario.library.nccl) { continue; }
        unsaid.others.push_back({std::string(version), derived.scenario});
        unsaid.others.back().scenario.library.nccl = version;
    }
    unsaid.weight = other_release;
    return unsaid;
}

bool tells_gpu_direct(const Measurement& m) {
    static const Pattern told(R"(gpu ?direct|\bgdr)");
    return std::ranges::any_of(std::array{text(m.software, "env"), text(m.system, "network"), text(m.system, "nic"),
                                          text(m.system, "notes"), text(m.software, "notes")},
                               [&](std::string_view words) { return told.found_in(std::string(words)); });
}

}  // namespace

std::vector<Unsaid> unsaid_of(const Measurement& m, const Derived& derived) {
    std::vector<Unsaid> list;
    if (derived.nccl_guessed) { list.push_back(other_releases(m, derived)); }
    if (derived.launch_guessed) {
        list.push_back({"how many GPUs a process drives", one_process, {{"all of a node", derived.scenario}}});
        list.back().others.front().scenario.launch.mode = LaunchMode::thread;
    }
    const ClusterRequest& cluster = derived.scenario.cluster;
    const bool verbs = cluster.link.starts_with("infiniband") || cluster.link.starts_with("ethernet");
    if (cluster.nodes > 1 && verbs && !cluster.node_options.contains("gpu_direct") && !tells_gpu_direct(m) &&
        derived.scenario.library.network_plugin.empty()) {
        list.push_back({"GPUDirect", without_gpu_direct, {{"off", derived.scenario}}});
        list.back().others.front().scenario.cluster.node_options["gpu_direct"] = "false";
    }
    std::erase_if(list, [](const Unsaid& unsaid) { return unsaid.others.empty(); });
    return list;
}

}  // namespace fabricast::inline curves
