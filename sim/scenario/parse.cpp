#include "sim/scenario/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/renamed_keys.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "sim/scenario/sizes.hpp"

namespace fabricast::inline scenario {

namespace {

void read_map(const yaml::Node& map, std::string_view path, Scenario& scenario);

void read_key(const yaml::Node& node, const Key& key, Scenario& scenario) {
    scenario.places[key.path] = node.place;
    if (key.form == Form::maps) {
        for (const yaml::Node& item : node.items()) {
            key.read(item, scenario);
            read_map(item, key.path, scenario);
        }
        return;
    }
    if (key.form == Form::map || key.form == Form::text_map) {
        for (const yaml::Node& member : node.members()) {  // throws if this is not a map
            scenario.places[key.path + "." + member.name] = member.place;
        }
    }
    if (key.read) { key.read(node, scenario); }
    if (key.form == Form::map && key.like.empty()) { read_map(node, key.path, scenario); }
}

// Reads the keys of one map in the order of the table, so that messages do not depend on the order in the file.
void read_map(const yaml::Node& written, std::string_view path, Scenario& scenario) {
    const std::optional<yaml::Node> renamed = with_present_names(written, path, scenario.notes);
    const yaml::Node& map = renamed ? *renamed : written;
    std::vector<const Key*> keys = keys_inside(path);
    // The workload's kind decides which other keys there are, in it and beside it.
    if (path == "workload") { find_key("workload.kind")->read(map.required("kind"), scenario); }
    const yaml::Node* workload = path.empty() ? map.get("workload") : nullptr;
    const yaml::Node* kind = workload != nullptr && workload->is_map() ? workload->get("kind") : nullptr;
    if (kind != nullptr) { find_key("workload.kind")->read(*kind, scenario); }
    std::erase_if(keys, [&](const Key* key) { return !belongs(*key, scenario); });
    map.allow(names_of(keys, [](const Key* key) { return leaf_of(key->path); }));
    for (const Key* key : keys) {
        const yaml::Node* node = key->required ? &map.required(leaf_of(key->path)) : map.get(leaf_of(key->path));
        if (node != nullptr) { read_key(*node, *key, scenario); }
    }
}

void check_cluster(const Scenario& scenario) {
    const ClusterRequest& cluster = scenario.cluster;
    if (!cluster.kinds.empty() && (!cluster.node.empty() || cluster.graph)) {
        fail_at(scenario, "cluster.nodes",
                fmt::format("a list of nodes does not go with 'cluster.{}'", cluster.graph ? "graph" : "node"),
                "a list", "a number; or the list alone");
    }
    if (cluster.node.empty() && cluster.kinds.empty() && !cluster.graph) {
        fail_at(scenario, "cluster", "missing key 'node' in 'cluster' (accepted: the name of a node template)");
    }
    if (cluster.graph && !cluster.fabric_kind.empty() && cluster.fabric_kind != to_string(FabricKind::explicit_graph)) {
        fail_at(scenario, "cluster.fabric.kind", "'kind' does not go with 'cluster.graph'", shown(cluster.fabric_kind),
                "explicit");
    }
    if (!cluster.graph && cluster.fabric_kind == to_string(FabricKind::explicit_graph)) {
        fail_at(scenario, "cluster.fabric.kind", "'kind' is explicit but there is no 'cluster.graph'");
    }
    if (cluster.fabric_kind == to_string(FabricKind::none) && cluster.nodes > 1) {
        fail_at(scenario, "cluster.fabric.kind", "several nodes need a fabric",
                fmt::format("'none' with {} nodes", cluster.nodes), "another kind, or one node");
    }
}

void check_workload(const CollectiveWorkload& workload, const Scenario& scenario) {
    for (const Bytes size : workload.sizes) {
        if (size.count < size_of(workload.dtype)) {
            fail_at(scenario, "workload.sizes", "a size below one element", text(size),
                    fmt::format("at least the {} B of one {}", size_of(workload.dtype), to_string(workload.dtype)));
        }
    }
}

// The run checks what is in the trace file.
void check_workload(const TraceWorkload&, const Scenario& scenario) {
    if (scenario.scaling) {
        fail_at(scenario, "scaling", "'scaling' is not for a trace: it has the ranks that were recorded");
    }
}

// Devices and transports are checked when the cluster is built.
void check_workload(const TransferWorkload& workload, const Scenario& scenario) {
    constexpr Bytes ip_and_tcp{40};  // headers without options, as the MSS is defined (RFC 9293)
    if (workload.host.mtu.count > 0 && workload.host.mss > workload.host.mtu - ip_and_tcp) {
        fail_at(scenario, "workload.host.mss", "'mss' is more than the MTU leaves", text(workload.host.mss),
                "at most " + text(workload.host.mtu - ip_and_tcp));
    }
    if (scenario.scaling) {
        fail_at(scenario, "scaling", "'scaling' is not for a transfer: it is between two devices");
    }
}

// The run checks the shape of a step, which depends on the catalogue and the cluster.
void check_workload(const TrainingWorkload&, const Scenario& scenario) {
    if (scenario.scaling && scenario.scaling->step) {
        fail_at(scenario, "scaling.step", "'step' is for collectives: a training workload has its own step");
    }
}

void check_scaling(const Scenario& scenario) {
    if (!scenario.scaling) { return; }
    const ScalingSpec& scaling = *scenario.scaling;
    if (scaling.nodes.empty() == scaling.gpus.empty()) {
        fail_at(scenario, "scaling", "cluster sizes must be given once",
                scaling.nodes.empty() ? "neither" : "nodes and gpus", "nodes: [...] or gpus: [...]");
    }
    const std::vector<std::uint32_t>& counts = scaling.nodes.empty() ? scaling.gpus : scaling.nodes;
    if (std::adjacent_find(counts.begin(), counts.end(), std::greater_equal<>()) != counts.end()) {
        fail_at(scenario, scaling.nodes.empty() ? "scaling.gpus" : "scaling.nodes",
                "cluster sizes must ascend (accepted: [1, 2, 4])");
    }
}

// A scenario with jobs may leave its own workload to the first of them, for commands that run one.
std::optional<yaml::Node> with_workload(const yaml::Node& root) {
    const yaml::Node* jobs = root.is_map() && root.get("workload") == nullptr ? root.get("jobs") : nullptr;
    const bool listed = jobs != nullptr && jobs->is_list() && !jobs->children.empty() && jobs->children[0].is_map();
    const yaml::Node* first = listed ? jobs->children[0].get("workload") : nullptr;
    if (first == nullptr) { return std::nullopt; }
    yaml::Node filled = root;
    filled.children.push_back(*first);
    return filled;
}

void check_jobs(const Scenario& scenario) {
    for (const char* key : {"scaling", "events", "cluster.place", "goodput", "assert"}) {
        if (!scenario.jobs.empty() && scenario.places.contains(key)) {
            fail_at(scenario, key, fmt::format("'{}' does not go with 'jobs' (accepted: one of the two)", key));
        }
    }
    for (const JobSpec& job : scenario.jobs) {
        if (std::ranges::count(scenario.jobs, job.name, &JobSpec::name) > 1) {
            throw InputError(job.place, fmt::format("two jobs are called '{}'", job.name));
        }
    }
    if (!scenario.cluster.place.empty() && scenario.scaling) {
        fail_at(scenario, "scaling", "'scaling' is of whole clusters: it does not go with 'cluster.place'");
    }
}

// Fills in defaults that depend on several keys.
void complete(Workload& workload) {
    if (std::vector<Bytes>* sizes = sizes_of(workload); sizes != nullptr && sizes->empty()) {
        *sizes = default_sizes();
    }
    // NCCL sends messages with Simple whatever is asked for; such a send is no kernel of Simple steps, as MSCCL's are.
    if (auto* calls = std::get_if<CollectiveWorkload>(&workload); calls && calls->protocol == Protocol::simple) {
        using enum Collective;
        for (const Collective sends : {all_to_all, all_to_all_v, sendrecv, gather, scatter}) {
            calls->protocol = calls->collective == sends ? Protocol::automatic : calls->protocol;
        }
    }
}

}  // namespace

Scenario scenario_of_tree(const yaml::Node& root, const std::filesystem::path& file) {
    Scenario scenario;
    scenario.file = file.string();
    const std::optional<yaml::Node> filled = with_workload(root);
    read_map(filled ? *filled : root, "", scenario);
    complete(scenario.workload);
    check_cluster(scenario);
    std::visit([&](const auto& workload) { check_workload(workload, scenario); }, scenario.workload);
    check_scaling(scenario);
    check_jobs(scenario);
    if (!scenario.jobs.empty()) {
        scenario.notes.emplace_back("its jobs run side by side in `fabricast run` only: this is its own workload");
    }
    return scenario;
}

Scenario scenario_of_job(const Scenario& whole, const JobSpec& job) {
    Scenario scenario = whole;
    scenario.jobs.clear();
    scenario.name = job.name;
    scenario.cluster.place = job.nodes;
    scenario.places["cluster.place"] = job.place;
    if (job.workload) {
        std::erase_if(scenario.places, [](const auto& entry) { return entry.first.starts_with("workload"); });
        scenario.workload = Workload{};
        read_key(*job.workload, *find_key("workload"), scenario);
        complete(scenario.workload);
    }
    std::visit([&](const auto& workload) { check_workload(workload, scenario); }, scenario.workload);
    return scenario;
}

Scenario part_of_tree(const yaml::Node& root, const std::filesystem::path& file, const std::vector<std::string>& keys) {
    Scenario scenario;
    scenario.file = file.string();
    for (const std::string& name : keys) {
        if (const yaml::Node* node = root.get(name)) { read_key(*node, *find_key(name), scenario); }
    }
    return scenario;
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    return scenario_of_tree(scenario_tree(file, overrides), file);
}

Scenario parse_scenario(std::string_view text, const std::filesystem::path& file,
                        const std::vector<std::string>& overrides) {
    return scenario_of_tree(scenario_tree(text, file, overrides), file);
}

}  // namespace fabricast::inline scenario
