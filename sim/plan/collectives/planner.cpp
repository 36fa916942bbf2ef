#include "sim/plan/collectives/planner.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "sim/plan/collectives/kinds/windows.hpp"
#include "sim/plan/collectives/nccl/plugin_tuner.hpp"
#include "sim/plan/collectives/plan_call.hpp"

namespace fabricast::inline collectives {

// The call as one kind of node has it, if that kind sets the pace.
struct Paced {
    Fabric fabric;
    PathRules rules;
    CostParts costs;
    nccl::TopologySearchResult found;
};

struct Planner::Prepared {
    CollectiveWorkload workload;
    const LaunchSpec& launch;
    nccl::Algorithms algorithms;
    nccl::Environment environment;
    nccl::Release release;
    nccl::Communicator comm;
    bool gpu_direct = true;
    bool windows = false;
    bool registered = false;
    std::vector<Paced> kinds;              // one for each kind of node
    std::vector<nccl::TunerRegion> tuner;  // of the network plugin; none: NCCL chooses

    nccl::Shape shape() const { return {comm.ranks, comm.nodes}; }
    std::optional<nccl::Estimate> window_choice_of(double bytes) const {
        const Paced& kind = kinds.front();
        return window_choice(workload, environment, release, kind.found, kind.fabric, bytes, *kind.costs.windows);
    }
    // Plans the call at the pace of one kind of node. Returns how long it takes alone, where there are several.
    double plan_at(const Paced& kind, const nccl::Estimate& choice, double bytes, bool judged, int iterations,
                   CallPlan& plan) const;
};

namespace {

// Whether NICs and switches reach the calls' buffers themselves: so they do windows from 2.28 on, where there are any.
bool takes_registered(const LibrarySpec& library, const nccl::Release& release, bool windows,
                      nccl::Environment& environment) {
    if (library.registered == Registered::window) { return windows && release.flags.registers_windows; }
    if (library.registered == Registered::none) { return false; }
    environment.notes.emplace_back(release.entry->has("nvls.registered.hopper")
                                       ? "registered buffers count for NVLS and for all-gathers of one GPU a node; "
                                         "other calls are forecast as without"
                                       : "registered buffers change nothing: this library knows none");
    return true;
}

// Throws PlanError if the scenario asks for an algorithm or protocol that the collective cannot have.
void refuse_misfits(const CollectiveWorkload& workload) {
    const bool p2p = is_p2p(workload.collective);
    const Algorithm asked = workload.algorithm;
    const bool fits =
        asked == Algorithm::automatic || is_stepped(asked) || is_msccl(asked) || p2p == (asked == Algorithm::direct);
    const bool plain = workload.protocol == Protocol::automatic || workload.protocol == Protocol::simple;
    if (!plain && is_stepped(asked)) {
        throw PlanError(fmt::format("{} is a protocol of NCCL: {} sends plain messages (accepted: auto, simple)",
                                    to_string(workload.protocol), to_string(asked)));
    }
    const bool cut = workload.channels != 1 || workload.instances != 1;
    if (cut && !is_msccl(asked)) {
        throw PlanError("channels and instances are an MSCCL program's: they have no effect on this call (accepted: 1)",
                        workload.channels != 1 ? "workload.channels" : "workload.instances");
    }
    if (workload.root != 0 && !has_root(workload.collective)) {
        throw PlanError(fmt::format("broadcast, reduce, gather and scatter have a root: it has no effect on {} "
                                    "(accepted: 0)",
                                    to_string(workload.collective)),
                        "workload.root");
    }
    if (workload.channels != 1 && asked == Algorithm::msccl_all_pairs) {
        throw PlanError("msccl-all-pairs has one channel between two GPUs; more of them are instances",
                        "workload.channels");
    }
    if (!fits) {
        throw PlanError(fmt::format("{} has no form of {}; {}", to_string(asked), to_string(workload.collective),
                                    p2p ? "sends and receives take auto or direct, all_to_all also pairwise"
                                        : "it takes auto, ring, tree, nvls, nvls-tree, collnet, pat, "
                                          "recursive-doubling, msccl-ring or msccl-all-pairs"));
    }
}

nccl::Environment read_settings(const CollectiveWorkload& workload, const LibrarySpec& library,
                                nccl::Algorithms algorithms) {
    nccl::Environment environment =
        nccl::read_environment(library.env, workload.collective, algorithms, nccl::parse_version(library.nccl));
    const bool chooses = nccl_chooses(workload);
    for (const char* name : {"NCCL_ALGO", "NCCL_PROTO"}) {
        if (!chooses && library.env.contains(name)) {
            environment.notes.push_back(fmt::format("{} has no say in {}", name,
                                                    is_p2p(workload.collective)
                                                        ? "sends and receives: NCCL sends them Simple"
                                                        : "an algorithm that is not NCCL's"));
        }
    }
    // The scenario's algorithm and protocol override the environment.
    if (workload.algorithm != Algorithm::automatic && chooses) {
        environment.allowed.keep_only(algorithms, [&](const auto& a) { return a.word == workload.algorithm; });
    }
    if (workload.protocol != Protocol::automatic) {
        for (const nccl::Proto proto : nccl::every_proto) {
            environment.allowed.proto[nccl::index(proto)] = nccl::scenario_protocol(proto) == workload.protocol;
        }
        environment.allowed.ll128_by_name = workload.protocol == Protocol::ll128;
    }
    return environment;
}

// Of sends and receives and of others' algorithms: Simple, if none is asked for.
nccl::Proto asked_protocol(const CollectiveWorkload& workload) {
    const auto asked = std::ranges::find(nccl::every_proto, workload.protocol, nccl::scenario_protocol);
    return asked == nccl::every_proto.end() ? nccl::Proto::simple : *asked;
}

// What a network plugin changes if the user does not: the algorithm of all-reduce, by its tuner, and the chunk size.
void apply_plugin(const Part& transport, const CollectiveWorkload& workload, const LibrarySpec& library,
                  nccl::Algorithms algorithms, nccl::Environment& environment) {
    const std::string tuned = transport.word_or("all_reduce", "");
    const bool free = workload.algorithm == Algorithm::automatic && !library.env.contains("NCCL_ALGO");
    if (!tuned.empty() && free && workload.collective == Collective::all_reduce) {
        environment.allowed.keep_only(algorithms, [&](const auto& a) { return to_string(a.word) == tuned; });
        environment.notes.push_back(fmt::format("all-reduce takes {}: the tuner of {}", tuned, transport.name));
    }
    if (environment.nvls_chunk == 0) { environment.nvls_chunk = transport.number_or("nvls_chunk", 0); }
}

// Who builds a fabric of rails that nothing joins sets NCCL_CROSS_NIC=0 (NCCL's user guide names it for such networks):
// a ring that changes rails would find no way.
void keep_to_rails(const Fabric& fabric, nccl::Environment& environment) {
    if (fabric.cluster().fabric.kind != FabricKind::rail_only || environment.cross_nic) { return; }
    environment.cross_nic = 0;
    environment.notes.emplace_back("NCCL_CROSS_NIC=0 is assumed: nothing joins this fabric's rails");
}

// A version newer than all in the catalogue counts as the newest one there, an older one as the oldest, and the report
// says so; another major version is refused as another library.
void note_unknown(const Catalog& catalog, const nccl::Version& asked, const nccl::Release& release,
                  const LibrarySpec& library, std::string_view parts, std::vector<std::string>& notes) {
    const std::string name = nccl::library_name(parts);
    if (release.version > asked) {
        notes.push_back(fmt::format("{} {} is older than any release in the catalogue: {}'s constants are used", name,
                                    library.nccl, release.entry->name));
    }
    const nccl::Release newest = nccl::release(catalog, {std::numeric_limits<int>::max(), 0, 0}, parts);
    if (asked.major > newest.version.major) {
        throw PlanError(fmt::format("{} {} is not a release that the catalogue knows; its newest is {}", name,
                                    library.nccl, newest.entry->name),
                        "library.nccl");
    }
    if (asked.minor > newest.version.minor && asked.major == newest.version.major) {
        notes.push_back(fmt::format("{} {} is newer than any release in the catalogue: {}'s constants are used", name,
                                    library.nccl, newest.entry->name));
    }
}

// The error that says why no algorithm can run, and what could.
PlanError nothing_runs(nccl::Algorithms algorithms, const nccl::Release& release, const nccl::Communicator& comm,
                       const nccl::Graphs& graphs, const CollectiveWorkload& workload, double bytes) {
    std::string asked(to_string(workload.algorithm));
    if (workload.protocol != Protocol::automatic) { asked += fmt::format(" with {}", to_string(workload.protocol)); }
    std::vector<std::string> would;
    for (const nccl::Estimate& e :
         nccl::estimates(algorithms, release, comm, graphs, workload.collective, bytes, workload.dtype)) {
        would.push_back(fmt::format("{}/{}", e.algorithm->name, nccl::to_string(e.proto)));
    }
    return PlanError(fmt::format(
        "{} cannot run {} on {} GPUs in {} with {}; what would: {}", asked, to_string(workload.collective), comm.ranks,
        plural(static_cast<std::uint64_t>(comm.nodes), "node"), release.entry->name, fmt::join(would, ", ")));
}

// LL128 relies on NVLink keeping 128 B stores whole, and, between nodes, on NICs near the GPUs (ncclTopoTuneModel).
bool ll128_is_safe(const Fabric& fabric, const nccl::TopologySearchResult& found, const nccl::Release& release) {
    const int cc = fabric.node().gpu.compute_capability;
    if (cc < 70 || (!found.nvlink && fabric.gpus_per_node() > 1)) { return false; }
    if (fabric.node_count() == 1) { return true; }
    const nccl::Locality places = nccl::locality(fabric.node(), fabric.gpus_per_node());
    return std::ranges::all_of(found.nics, [&](std::uint16_t nic) {
        return nccl::keeps_ll128(fabric.node(), places, release, places.nearest_gpu[nic], nic);
    });
}

// SHARP: asked for by NCCL_COLLNET_ENABLE, and InfiniBand between the nodes.
bool network_reduces(const Fabric& fabric, const nccl::Environment& environment) {
    return environment.collnet_enable && fabric.node_count() > 1 &&
           fabric.cluster().fabric.link.family == LinkFamily::infiniband;
}

// What NCCL finds out about a fabric before it tunes.
nccl::Communicator communicator(const Fabric& fabric, const nccl::TopologySearchResult& found,
                                const nccl::Environment& environment, const nccl::Release& release,
                                const Part* transport) {
    using enum nccl::CpuVendor;
    const NodeTemplate& node = fabric.node();
    return {.ranks = fabric.gpu_count(),
            .nodes = fabric.node_count(),
            .compute_capability = node.gpu.compute_capability,
            .cpu = node.cpu_vendor == "amd"     ? amd
                   : node.cpu_vendor == "intel" ? intel
                                                : other,
            .nvlink = found.nvlink,
            .ll128 = ll128_is_safe(fabric, found, release),
            .nvls = found.nvls_channels > 0,
            .nvswitch = node.nvlink == NvlinkShape::nvswitch,
            .collnet = network_reduces(fabric, environment),
            .plugin_latency = transport == nullptr ? 0 : transport->number_or("tuning_latency", 0)};
}

// The same of nodes of several kinds: the least of all (src/init.cc, initTransportsRank). LL128 between GPUs of several
// generations is off before Hopper (src/graph/tuning.cc, ncclTopoTuneModel).
nccl::Communicator communicator_of(const std::vector<Paced>& kinds, const nccl::Environment& environment,
                                   const nccl::Release& release) {
    const auto of = [&](const Paced& kind) {
        return communicator(kind.fabric, kind.found, environment, release, kind.costs.transport);
    };
    nccl::Communicator comm = of(kinds.front());
    for (const Paced& kind : kinds) {
        const nccl::Communicator other = of(kind);
        const int least = std::min(comm.compute_capability, other.compute_capability);
        comm.ll128 = comm.ll128 && other.ll128 && (comm.compute_capability == other.compute_capability || least >= 90);
        comm.compute_capability = least;
        comm.cpu = comm.cpu == other.cpu ? comm.cpu : nccl::CpuVendor::other;
        comm.nvlink = comm.nvlink && other.nvlink;
        comm.nvls = comm.nvls && other.nvls;
        comm.nvswitch = comm.nvswitch && other.nvswitch;
        comm.collnet = comm.collnet && other.collnet;
        comm.plugin_latency = std::max(comm.plugin_latency, other.plugin_latency);
    }
    return comm;
}

// The kinds of nodes, the slowest GPUs' first.
std::vector<Paced> paced_by_each(const Fabric& fabric, const nccl::Environment& environment) {
    std::vector<nccl::Locality> places;
    const Cluster& cluster = fabric.cluster();
    for (const NodeRun& run : cluster.runs) { places.push_back(nccl::locality(run.node, fabric.gpus_per_node())); }
    if (places.empty()) { places.push_back(nccl::locality(cluster.node, fabric.gpus_per_node())); }
    std::vector<Paced> kinds;
    for (const std::uint32_t node : fabric.kinds()) {
        const Fabric paced = fabric.paced_by(node);
        kinds.push_back({paced, {paced, places, environment.peers, environment.pxn}, {}, {}});
        if (node == fabric.pace()) { std::swap(kinds.front(), kinds.back()); }
    }
    return kinds;
}

// Lowers what each kind of node found to what all have, and tells each how rings run through the others.
void agree(std::vector<Paced>& kinds) {
    if (kinds.size() < 2) { return; }
    std::vector<std::vector<nccl::Ring>> of_runs(kinds.front().fabric.runs().size());
    for (const Paced& kind : kinds) {
        of_runs[kind.fabric.run_of(kind.fabric.wired_node(kind.fabric.pace()))] = kind.found.rings;
    }
    const std::vector<Paced> found = kinds;
    for (Paced& kind : kinds) {
        kind.found.of_runs = of_runs;
        for (const Paced& other : found) { nccl::lower_to(other.found, kind.found); }
    }
}

// Whether all NICs read and write GPU memory. Where NCCL leaves that off by itself, the plan says so.
bool reaches_gpus(const std::vector<Paced>& kinds, nccl::Environment& environment) {
    const nccl::PeerLevel level = environment.gpu_direct.value_or(nccl::PeerLevel::pxb);
    for (const Paced& kind : kinds) {
        const NodeTemplate& node = kind.fabric.node();
        if (uses_gpu_direct(kind.rules, level)) { continue; }
        if (node.gpu_direct && !environment.gpu_direct && kind.fabric.node_count() > 1) {
            environment.notes.push_back(
                fmt::format("no GPUDirect: a host bridge lies between GPUs of {} and their NICs, and NCCL crosses it "
                            "only with NCCL_NET_GDR_LEVEL=PHB, or SYS between CPUs; data pass through host memory",
                            node.name));
        }
        return false;
    }
    return true;
}

}  // namespace

bool nccl_chooses(const CollectiveWorkload& workload) {
    return !is_p2p(workload.collective) && !is_stepped(workload.algorithm) && !is_msccl(workload.algorithm);
}

Planner::Planner(const CollectiveWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                 const LaunchSpec& launch, const Catalog& catalog, nccl::Algorithms algorithms) {
    refuse_misfits(workload);
    nccl::Environment environment = read_settings(workload, library, algorithms);
    keep_to_rails(fabric, environment);
    const nccl::Version version = nccl::parse_version(library.nccl);
    const std::string gpu = fabric.node().gpu.name, parts = nccl::library_of(catalog, gpu);
    nccl::Release release = nccl::release(catalog, version, parts);
    environment.pxn = environment.pxn && release.flags.forwards_to_rails;
    note_unknown(catalog, version, release, library, parts, environment.notes);
    for (const std::uint32_t node : fabric.kinds()) {
        const std::string other = fabric.node(node).gpu.name;
        if (nccl::library_of(catalog, other) != parts) {
            throw PlanError(fmt::format("{} and {} share no library of collectives", gpu, other), "cluster.nodes");
        }
    }
    if (fabric.gpu_count() < 2) {
        throw PlanError(fmt::format("a collective needs at least two GPUs; this cluster has {}", fabric.gpu_count()));
    }
    std::vector<Paced> kinds = paced_by_each(fabric, environment);
    const bool gpu_direct = reaches_gpus(kinds, environment);
    for (Paced& kind : kinds) {
        check_peers(kind.rules);
        kind.costs = cost_parts(catalog, kind.fabric, version, library, gpu_direct, inside_by(kind.rules));
    }
    const Part* transport = kinds.front().costs.transport;
    if (transport != nullptr) { apply_plugin(*transport, workload, library, algorithms, environment); }
    for (Paced& kind : kinds) {
        kind.found = nccl::search(algorithms, kind.fabric.node(), fabric.gpus_per_node(), fabric.node_count(),
                                  nic_rate(kind.fabric), release, environment);
    }
    const nccl::Communicator comm = communicator_of(kinds, environment, release);
    const bool gin = has_gin(transport, gpu_direct);
    const bool windows = takes_windows(workload, library, release, kinds.front().rules, gin, environment);
    const bool registered =
        takes_registered(library, release, environment.windows && (fabric.node_count() == 1 || gin), environment);
    agree(kinds);
    std::vector<nccl::TunerRegion> tuner;
    if (nccl_chooses(workload) && fabric.node_count() > 1) {
        tuner = nccl::plugin_regions(catalog, fabric.port().name, comm, version, workload.collective, environment);
    }
    if (environment.peers == nccl::PeerLevel::loc && comm.nvls) {
        environment.notes.emplace_back("NVLS maps no peer's memory: it stays; NCCL_NVLS_ENABLE=0 turns it off");
    }
    prepared_ =
        std::make_shared<const Prepared>(Prepared{workload, launch, algorithms, environment, std::move(release), comm,
                                                  gpu_direct, windows, registered, std::move(kinds), std::move(tuner)});
}

CallPlan Planner::plan(Bytes size, bool judged, int iterations) const {
    const Prepared& p = *prepared_;
    const auto bytes = static_cast<double>(size.count);
    if (!(bytes > 0)) { throw PlanError("a call of 0 bytes moves nothing"); }
    nccl::Estimate choice{.proto = asked_protocol(p.workload)};
    const bool chooses = nccl_chooses(p.workload);
    const auto window = p.windows ? p.window_choice_of(bytes) : std::nullopt;
    if (window) {
        choice = *window;
    } else if (chooses) {
        const nccl::Graphs& graphs = p.kinds.front().found.graphs;
        const std::vector<nccl::Estimate> able =
            nccl::estimates(p.algorithms, p.release, p.comm, graphs, p.workload.collective, bytes, p.workload.dtype,
                            p.environment.allowed);
        if (able.empty()) { throw nothing_runs(p.algorithms, p.release, p.comm, graphs, p.workload, bytes); }
        choice = nccl::tuned(p.tuner, bytes, p.comm.ranks, able).value_or(nccl::choose(able));
        choice.proto = nccl::protocol_by_size(p.release, p.comm, p.workload.collective, bytes, p.environment.allowed,
                                              choice.proto);
    }
    CallPlan slowest;  // all ranks act in step: the kind of node that takes longest counts
    double longest = -1;
    for (const Paced& kind : p.kinds) {
        CallPlan plan;
        const double seconds = p.plan_at(kind, choice, bytes, judged, iterations, plan);
        if (seconds > longest) { slowest = std::move(plan); }
        longest = std::max(longest, seconds);
    }
    return slowest;
}

double Planner::Prepared::plan_at(const Paced& kind, const nccl::Estimate& choice, double bytes, bool judged,
                                  int iterations, CallPlan& plan) const {
    FigureReader ledger(kind.costs);
    const bool chooses = nccl_chooses(workload);
    const Call call{workload, kind.fabric, release,          environment,  kind.found, kind.rules, shape(),
                    bytes,    gpu_direct,  choice.algorithm, choice.proto, ledger,     registered};
    const LoweredCall lowering = plan_call(call, launch, plan, iterations);
    plan.algorithm = chooses                                      ? choice.algorithm->word
                     : workload.algorithm == Algorithm::automatic ? Algorithm::direct
                                                                  : workload.algorithm;
    plan.protocol = nccl::scenario_protocol(lowering.proto.value_or(choice.proto));
    plan.channels = lowering.channels;
    plan.tuning_seconds = choice.seconds;
    plan.bytes_moved_factor = busbw_factor(workload.collective, comm.ranks);
    if (judged) { judge(call, launch, lowering, plan); }
    plan.evidence_notes = kind.costs.notes;
    plan.notes = environment.notes;
    return kinds.size() > 1 ? seconds_alone(call, launch, lowering, plan.schedule) : 0;
}

}  // namespace fabricast::inline collectives
