#include "sim/plan/collectives/planner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "sim/plan/collectives/plan_call.hpp"

namespace fabricast::inline collectives {

struct Planner::Prepared {
    CollectiveWorkload workload;
    const Fabric& fabric;
    const LaunchSpec& launch;
    nccl::Algorithms algorithms;
    nccl::Environment environment;
    nccl::Release release;
    nccl::TopologySearchResult found;
    nccl::Communicator comm;
    bool gpu_direct = true;
    CostParts costs;
    PathRules rules;

    nccl::Shape shape() const { return {comm.ranks, comm.nodes}; }
};

namespace {

// Throws PlanError if the scenario asks for an algorithm or protocol that the collective cannot have.
void refuse_misfits(const CollectiveWorkload& workload) {
    const bool p2p = is_p2p(workload.collective);
    const Algorithm asked = workload.algorithm;
    const bool fits = asked == Algorithm::automatic || is_stepped(asked) || p2p == (asked == Algorithm::direct);
    const bool plain = workload.protocol == Protocol::automatic || workload.protocol == Protocol::simple;
    if (!plain && is_stepped(asked)) {
        throw PlanError(fmt::format("{} is a protocol of NCCL: {} sends plain messages (accepted: auto, simple)",
                                    to_string(workload.protocol), to_string(asked)));
    }
    if (!fits) {
        throw PlanError(
            fmt::format("{} has no form of {}; {}", to_string(asked), to_string(workload.collective),
                        p2p ? "sends and receives take auto or direct, all_to_all also pairwise"
                            : "it takes auto, ring, tree, nvls, nvls-tree, collnet, pat or recursive-doubling"));
    }
}

nccl::Environment read_settings(const CollectiveWorkload& workload, const LibrarySpec& library,
                                nccl::Algorithms algorithms) {
    nccl::Environment environment = nccl::read_environment(library.env, workload.collective, algorithms);
    const bool chooses = nccl_chooses(workload);
    for (const char* name : {"NCCL_ALGO", "NCCL_PROTO"}) {
        if (!chooses && library.env.contains(name)) {
            environment.notes.push_back(
                fmt::format("{} has no say in sends and receives: NCCL sends them Simple", name));
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
                  const LibrarySpec& library, std::vector<std::string>& notes) {
    if (release.version > asked) {
        notes.push_back(fmt::format("NCCL {} is older than any release in the catalogue: {}'s constants are used",
                                    library.nccl, release.entry->name));
    }
    const nccl::Release newest = nccl::release(catalog, {std::numeric_limits<int>::max(), 0, 0});
    if (asked.major > newest.version.major) {
        throw PlanError(fmt::format("NCCL {} is not a release that the catalogue knows; its newest is {}", library.nccl,
                                    newest.entry->name));
    }
    if (asked.minor > newest.version.minor && asked.major == newest.version.major) {
        notes.push_back(fmt::format("NCCL {} is newer than any release in the catalogue: {}'s constants are used",
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
bool ll128_is_safe(const Fabric& fabric, const nccl::TopologySearchResult& found) {
    const int cc = fabric.node().gpu.compute_capability;
    if (cc < 70 || (!found.nvlink && fabric.gpus_per_node() > 1)) { return false; }
    if (fabric.node_count() == 1) { return true; }
    const nccl::Locality places = nccl::locality(fabric.node(), fabric.gpus_per_node());
    const auto near = [&](std::uint16_t nic) {
        return places.nic_path(places.nearest_gpu[nic], nic) <= nccl::PciePath::pxb;
    };
    return cc >= 90 || std::all_of(found.nics.begin(), found.nics.end(), near);
}

// SHARP: asked for by NCCL_COLLNET_ENABLE, and InfiniBand between the nodes.
bool network_reduces(const Fabric& fabric, const nccl::Environment& environment) {
    return environment.collnet_enable && fabric.node_count() > 1 &&
           fabric.cluster().fabric.link.family == LinkFamily::infiniband;
}

// Line rate of one NIC, all its ports, in bytes per second; 0 on one node. A fabric drawn by hand has no common link:
// there it is the rate of the path to the next node.
double port_rate(const Fabric& fabric) {
    if (fabric.node_count() == 1) { return 0; }
    const double named = fabric.cluster().fabric.link.rate.bytes_per_second() * fabric.node().nic_ports;
    if (named > 0) { return named; }
    return narrowest(fabric, fabric.path({.src = fabric.gpu(0), .dst = fabric.gpu(fabric.gpus_per_node())}));
}

// What NCCL finds out about a fabric before it tunes.
nccl::Communicator communicator(const Fabric& fabric, const nccl::TopologySearchResult& found,
                                const nccl::Environment& environment, const Part* transport) {
    using enum nccl::CpuVendor;
    const NodeTemplate& node = fabric.node();
    return {.ranks = fabric.gpu_count(),
            .nodes = fabric.node_count(),
            .compute_capability = node.gpu.compute_capability,
            .cpu = node.cpu_vendor == "amd"     ? amd
                   : node.cpu_vendor == "intel" ? intel
                                                : other,
            .nvlink = found.nvlink,
            .ll128 = ll128_is_safe(fabric, found),
            .nvls = found.nvls_channels > 0,
            .nvswitch = node.nvlink == NvlinkShape::nvswitch,
            .collnet = network_reduces(fabric, environment),
            .plugin_latency = transport == nullptr ? 0 : transport->number_or("tuning_latency", 0)};
}

}  // namespace

bool nccl_chooses(const CollectiveWorkload& workload) {
    return !is_p2p(workload.collective) && !is_stepped(workload.algorithm);
}

Planner::Planner(const CollectiveWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                 const LaunchSpec& launch, const Catalog& catalog, nccl::Algorithms algorithms) {
    refuse_misfits(workload);
    nccl::Environment environment = read_settings(workload, library, algorithms);
    keep_to_rails(fabric, environment);
    const nccl::Version version = nccl::parse_version(library.nccl);
    const Part* gpu = catalog.find(fabric.node().gpu.name);
    nccl::Release release =
        nccl::release(catalog, version, gpu == nullptr ? "nccl" : gpu->word_or("collectives", "nccl"));
    note_unknown(catalog, version, release, library, environment.notes);
    if (fabric.gpu_count() < 2) {
        throw PlanError(fmt::format("a collective needs at least two GPUs; this cluster has {}", fabric.gpu_count()));
    }
    PathRules rules{fabric, nccl::locality(fabric.node(), fabric.gpus_per_node()), environment.peers, environment.pxn};
    check_peers(rules);
    const bool gpu_direct = uses_gpu_direct(rules, environment.gpu_direct);
    CostParts costs = cost_parts(catalog, fabric, version, library, gpu_direct, inside_by(rules));
    if (costs.transport != nullptr) { apply_plugin(*costs.transport, workload, library, algorithms, environment); }
    nccl::TopologySearchResult found = nccl::search(algorithms, fabric.node(), fabric.gpus_per_node(),
                                                    fabric.node_count(), port_rate(fabric), release, environment);
    const nccl::Communicator comm = communicator(fabric, found, environment, costs.transport);
    if (environment.peers == nccl::PeerLevel::loc && comm.nvls) {
        environment.notes.emplace_back("NVLS maps no peer's memory: it stays; NCCL_NVLS_ENABLE=0 turns it off");
    }
    prepared_ = std::make_shared<const Prepared>(Prepared{workload, fabric, launch, algorithms, environment,
                                                          std::move(release), std::move(found), comm, gpu_direct,
                                                          std::move(costs), std::move(rules)});
}

CallPlan Planner::plan(Bytes size, bool judged, int iterations) const {
    const Prepared& p = *prepared_;
    const auto bytes = static_cast<double>(size.count);
    if (!(bytes > 0)) { throw PlanError("a call of 0 bytes moves nothing"); }
    FigureReader ledger(p.costs);
    nccl::Estimate choice;
    const bool chooses = nccl_chooses(p.workload);
    if (chooses) {
        const std::vector<nccl::Estimate> able =
            nccl::estimates(p.algorithms, p.release, p.comm, p.found.graphs, p.workload.collective, bytes,
                            p.workload.dtype, p.environment.allowed);
        if (able.empty()) { throw nothing_runs(p.algorithms, p.release, p.comm, p.found.graphs, p.workload, bytes); }
        choice = nccl::choose(able);
        choice.proto = nccl::protocol_by_size(p.release, p.comm, p.workload.collective, bytes, p.environment.allowed,
                                              choice.proto);
    }
    const Call call{p.workload, p.fabric, p.release,    p.environment,    p.found,      p.rules,
                    p.shape(),  bytes,    p.gpu_direct, choice.algorithm, choice.proto, ledger};
    CallPlan plan;
    const LoweredCall lowering = plan_call(call, p.launch, plan, iterations);
    plan.algorithm = chooses                            ? choice.algorithm->word
                     : is_stepped(p.workload.algorithm) ? p.workload.algorithm
                                                        : Algorithm::direct;
    const bool asked = is_p2p(p.workload.collective) && p.workload.protocol != Protocol::automatic;
    plan.protocol = chooses ? nccl::scenario_protocol(choice.proto) : asked ? p.workload.protocol : Protocol::simple;
    plan.channels = lowering.channels;
    plan.tuning_seconds = choice.seconds;
    plan.bytes_moved_factor = busbw_factor(p.workload.collective, p.comm.ranks);
    if (judged) { judge(call, p.launch, lowering, plan); }
    plan.evidence_notes = p.costs.notes;
    plan.notes = p.environment.notes;
    return plan;
}

}  // namespace fabricast::inline collectives
