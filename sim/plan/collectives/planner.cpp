#include "sim/plan/collectives/planner.hpp"

#include <algorithm>
#include <limits>

#include "sim/plan/collectives/launch.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/plan_call.hpp"
#include "sim/plan/collectives/rests_on.hpp"

namespace fabricast {

namespace {

// Throws PlanError if the scenario asks for an algorithm or protocol that the collective cannot have.
void refuse_misfits(const CollectiveWorkload& workload) {
    const bool p2p = is_p2p(workload.collective);
    const Algorithm asked = workload.algorithm;
    const bool fits = asked == Algorithm::automatic || is_stepped(asked) || p2p == (asked == Algorithm::direct);
    const bool plain = workload.protocol == Protocol::automatic || workload.protocol == Protocol::simple;
    if (!plain && is_stepped(asked)) {
        throw PlanError(std::string(to_string(workload.protocol)) + " is a protocol of NCCL: " +
                        std::string(to_string(asked)) + " sends plain messages (accepted: auto, simple)");
    }
    if (!fits) {
        throw PlanError(std::string(to_string(asked)) + " has no form of " +
                        std::string(to_string(workload.collective)) +
                        (p2p ? "; sends and receives take auto or direct, all_to_all also pairwise"
                             : "; it takes auto, ring, tree, nvls, nvls-tree, collnet, pat or recursive-doubling"));
    }
}

nccl::CpuVendor vendor(const std::string& word) {
    return word == "amd" ? nccl::CpuVendor::amd : word == "intel" ? nccl::CpuVendor::intel : nccl::CpuVendor::other;
}

// LL128 relies on NVLink keeping 128 B stores whole, and, between nodes, on NICs near the GPUs (ncclTopoTuneModel).
bool ll128_is_safe(const Fabric& fabric, const nccl::TopologySearchResult& found) {
    const int cc = fabric.node().gpu.compute_capability;
    if (cc < 70 || (!found.nvlink && fabric.gpus_per_node() > 1)) {
        return false;
    }
    if (fabric.node_count() == 1) {
        return true;
    }
    const nccl::Locality places = nccl::locality(fabric.node(), fabric.gpus_per_node());
    const auto near = [&](std::uint16_t nic) {
        return places.nic_path(places.nearest_gpu[nic], nic) <= nccl::PciePath::pxb;
    };
    return cc >= 90 || std::all_of(found.nics.begin(), found.nics.end(), near);
}

// NCCL's algorithms for a scenario's word; empty if NCCL has none.
std::vector<nccl::Algo> algorithms_for(Algorithm asked) {
    std::vector<nccl::Algo> list;
    for (const nccl::Algo algo : nccl::every_algo) {
        if (nccl::scenario_algorithm(algo) == asked) {
            list.push_back(algo);
        }
    }
    return list;
}

}  // namespace

struct Planner::Prepared {
    const CollectiveWorkload& workload;
    const Fabric& fabric;
    const LaunchSpec& launch;
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

nccl::Environment read_settings(const CollectiveWorkload& workload, const LibrarySpec& library) {
    nccl::Environment environment = nccl::read_environment(library.env, workload.collective);
    for (const std::string_view name : {"NCCL_ALGO", "NCCL_PROTO"}) {
        if ((is_p2p(workload.collective) || is_stepped(workload.algorithm)) &&
            library.env.contains(std::string(name))) {
            environment.notes.push_back(std::string(name) +
                                        " has no say in sends and receives: NCCL sends them Simple");
        }
    }
    // The scenario's algorithm and protocol override the environment.
    if (workload.algorithm != Algorithm::automatic && !is_p2p(workload.collective) && !is_stepped(workload.algorithm)) {
        environment.allowed.algo.fill(false);
        for (const nccl::Algo algo : algorithms_for(workload.algorithm)) {
            environment.allowed.algo[nccl::index(algo)] = true;
        }
    }
    if (workload.protocol != Protocol::automatic) {
        environment.allowed.proto.fill(false);
        for (const nccl::Proto proto : nccl::every_proto) {
            environment.allowed.proto[nccl::index(proto)] = nccl::scenario_protocol(proto) == workload.protocol;
        }
        environment.allowed.ll128_by_name = workload.protocol == Protocol::ll128;
    }
    return environment;
}

// Line rate of one NIC, all its ports. A fabric drawn by hand has no common link: there it is the rate of the path to
// the next node.
double port_rate(const Fabric& fabric) {
    if (fabric.node_count() == 1) {
        return 0;
    }
    const double named = fabric.cluster().fabric.link.rate.bytes_per_second() * fabric.node().nic_ports;
    if (named > 0) {
        return named;
    }
    PathQuery query;
    query.src = fabric.gpu(0);
    query.dst = fabric.gpu(fabric.gpus_per_node());
    double narrowest = std::numeric_limits<double>::infinity();
    const Path path = fabric.path(query);
    for (const LinkId link : path.span()) {
        narrowest = std::min(narrowest, fabric.link(link).capacity);
    }
    return narrowest;
}

// SHARP: asked for by NCCL_COLLNET_ENABLE, and InfiniBand between the nodes.
bool network_reduces(const Fabric& fabric, const nccl::Environment& environment) {
    return environment.collnet_enable && fabric.node_count() > 1 &&
           fabric.cluster().fabric.link.family == LinkFamily::infiniband;
}

// What a network plugin changes: a tuner that picks one algorithm for all-reduce, and its own chunk size. The user's
// settings override both.
void apply_plugin(const Part& transport, const CollectiveWorkload& workload, const LibrarySpec& library,
                  nccl::Environment& environment) {
    const std::string tuned = transport.word_or("all_reduce", "");
    const bool free = workload.algorithm == Algorithm::automatic && !library.env.contains("NCCL_ALGO");
    if (!tuned.empty() && free && workload.collective == Collective::all_reduce) {
        for (const nccl::Algo algo : nccl::every_algo) {
            environment.allowed.algo[nccl::index(algo)] = to_string(nccl::scenario_algorithm(algo)) == tuned;
        }
        environment.notes.push_back("all-reduce takes " + tuned + ": the tuner of " + transport.name);
    }
    if (environment.nvls_chunk == 0) {
        environment.nvls_chunk = transport.number_or("nvls_chunk", 0);
    }
}

nccl::Communicator communicator(const Fabric& fabric, const nccl::TopologySearchResult& found,
                                const nccl::Environment& environment) {
    const NodeTemplate& node = fabric.node();
    return {.ranks = fabric.gpu_count(),
            .nodes = fabric.node_count(),
            .compute_capability = node.gpu.compute_capability,
            .cpu = vendor(node.cpu_vendor),
            .nvlink = found.nvlink,
            .ll128 = ll128_is_safe(fabric, found),
            .nvls = found.nvls_channels > 0,
            .nvswitch = node.nvlink == NvlinkShape::nvswitch,
            .collnet = network_reduces(fabric, environment)};
}

PathQuery between(const PathRules& rules, std::uint32_t a, std::uint32_t b) {
    PathQuery query;
    query.src = rules.fabric.gpu(a);
    query.dst = rules.fabric.gpu(b);
    rules.apply(query);
    return query;
}

// GPUs that share no host memory (trays of one rack) can only use NVLink. Without it NCCL would use the network, which
// is not modelled inside a node. Throws PlanError.
void check_peers(const PathRules& rules) {
    const std::uint32_t last = rules.fabric.gpus_per_node() - 1;
    if (!rules.peers || last == 0) {
        return;
    }
    try {
        (void)rules.fabric.path(between(rules, 0, last));
    } catch (const Unreachable& error) {
        throw PlanError("NCCL_P2P_DISABLE or NCCL_P2P_LEVEL leaves GPUs of one " + rules.fabric.node().name +
                        " no way to each other: " + error.what());
    }
}

// As inside_of, but with NCCL's settings of how far peers reach: "pcie-host" as soon as one hop of a ring in index
// order goes through the host.
std::string_view inside_by(const PathRules& rules) {
    const std::uint32_t gpus = rules.fabric.gpus_per_node();
    const bool nvlink = rules.fabric.node().nvlink != NvlinkShape::none && rules.peers >= nccl::PeerLevel::nvl;
    if (!rules.peers || nvlink || gpus < 2) {
        return inside_of(rules.fabric);
    }
    for (std::uint32_t g = 0; g < gpus; ++g) {
        if (between(rules, g, (g + 1) % gpus).kind == PathKind::host_staged) {
            return "pcie-host";
        }
    }
    return "pcie";
}

// A release that is newer than all in the catalogue is treated as the newest one there, and the report says so; another
// major version is refused as another library.
void note_newer(const Catalog& catalog, const nccl::Version& version, const LibrarySpec& library,
                nccl::Environment& environment) {
    constexpr int beyond_all = std::numeric_limits<int>::max();
    const std::string newest = nccl::release(catalog, {beyond_all, 0, 0}).part;
    const nccl::Version known = nccl::parse_version(catalog.at("library", newest).word("version"));
    if (version.major > known.major) {
        throw PlanError("NCCL " + library.nccl + " is no release that the catalogue knows; its newest is " + newest);
    }
    if (version.minor > known.minor && version.major == known.major) {
        environment.notes.push_back("NCCL " + library.nccl + " is newer than any release in the catalogue: " + newest +
                                    "'s constants are used");
    }
}

// The error that says why no algorithm can run, and what could.
PlanError nothing_runs(const nccl::Release& release, const nccl::Communicator& comm, const nccl::Graphs& graphs,
                       const CollectiveWorkload& workload, double bytes) {
    std::string asked(to_string(workload.algorithm));
    if (workload.protocol != Protocol::automatic) {
        asked += " with " + std::string(to_string(workload.protocol));
    }
    std::string would;
    nccl::Allowed all;
    for (const nccl::Estimate& e :
         nccl::estimates(release, comm, graphs, workload.collective, bytes, workload.dtype, all)) {
        would += (would.empty() ? "" : ", ") + std::string(nccl::to_string(e.algo)) + "/" +
                 std::string(nccl::to_string(e.proto));
    }
    return PlanError(asked + " cannot run " + std::string(to_string(workload.collective)) + " on " +
                     std::to_string(comm.ranks) + " GPUs in " + std::to_string(comm.nodes) +
                     (comm.nodes == 1 ? " node" : " nodes") + " with " + release.part + "; what would: " + would);
}

}  // namespace

Planner::Planner(const CollectiveWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                 const LaunchSpec& launch, const Catalog& catalog) {
    refuse_misfits(workload);
    nccl::Environment environment = read_settings(workload, library);
    const nccl::Version version = nccl::parse_version(library.nccl);
    nccl::Release release = nccl::release(catalog, version);
    if (nccl::parse_version(catalog.at("library", release.part).word("version")) > version) {
        environment.notes.push_back("NCCL " + library.nccl + " is older than any release in the catalogue: " +
                                    release.part + "'s constants are used");
    }
    note_newer(catalog, version, library, environment);
    if (fabric.gpu_count() < 2) {
        throw PlanError("a collective needs at least two GPUs; this cluster has " + std::to_string(fabric.gpu_count()));
    }
    const bool gpu_direct = environment.gpu_direct.value_or(fabric.node().gpu_direct);
    PathRules rules{fabric, nccl::locality(fabric.node(), fabric.gpus_per_node()), environment.peers, environment.pxn};
    check_peers(rules);
    CostParts costs = cost_parts(catalog, fabric, version, library, gpu_direct, inside_by(rules));
    if (costs.transport != nullptr) {
        apply_plugin(*costs.transport, workload, library, environment);
    }
    nccl::TopologySearchResult found = nccl::search(fabric.node(), fabric.gpus_per_node(), fabric.node_count(),
                                                    port_rate(fabric), release, environment);
    const nccl::Communicator comm = communicator(fabric, found, environment);
    if (environment.peers == nccl::PeerLevel::loc && comm.nvls) {
        environment.notes.emplace_back("NVLS maps no peer's memory: it stays; NCCL_NVLS_ENABLE=0 turns it off");
    }
    prepared_ = std::make_unique<const Prepared>(Prepared{workload, fabric, launch, environment, std::move(release),
                                                          std::move(found), comm, gpu_direct, std::move(costs),
                                                          std::move(rules)});
}

Planner::~Planner() = default;

Plan Planner::plan(Bytes size, bool judged) const {
    const Prepared& p = *prepared_;
    const auto bytes = static_cast<double>(size.count);
    if (!(bytes > 0)) {
        throw PlanError("a call of 0 bytes moves nothing");
    }
    FigureReader ledger(p.costs);
    nccl::Estimate choice;
    const bool chooses = !is_p2p(p.workload.collective) && !is_stepped(p.workload.algorithm);
    if (chooses) {
        const std::vector<nccl::Estimate> able = nccl::estimates(
            p.release, p.comm, p.found.graphs, p.workload.collective, bytes, p.workload.dtype, p.environment.allowed);
        if (able.empty()) {
            throw nothing_runs(p.release, p.comm, p.found.graphs, p.workload, bytes);
        }
        choice = nccl::choose(able);
    }
    const Call call{p.workload, p.fabric, p.release,    p.environment, p.found,      p.rules,
                    p.shape(),  bytes,    p.gpu_direct, choice.algo,   choice.proto, ledger};
    Plan plan;
    const LoweredCall lowering = plan_call(call, plan.schedule);
    launch_iterations(call, p.launch, lowering, plan);
    plan.algorithm = chooses                            ? nccl::scenario_algorithm(choice.algo)
                     : is_stepped(p.workload.algorithm) ? p.workload.algorithm
                                                        : Algorithm::direct;
    const bool asked = is_p2p(p.workload.collective) && p.workload.protocol != Protocol::automatic;
    plan.protocol = chooses ? nccl::scenario_protocol(choice.proto) : asked ? p.workload.protocol : Protocol::simple;
    plan.channels = lowering.channels;
    plan.tuning_seconds = choice.seconds;
    plan.bytes_moved_factor = busbw_factor(p.workload.collective, p.comm.ranks);
    if (judged) {
        const Trust trust = rests_on(call, p.launch, lowering, plan.schedule);
        plan.evidence = trust.evidence;
        const Interval range = interval(ledger, trust.misses_like, bytes);
        plan.relative_low80 = range.low80;
        plan.relative_high80 = range.high80;
        plan.figures = ledger.figures();
    }
    plan.evidence_notes = p.costs.notes;
    plan.notes = p.environment.notes;
    return plan;
}

Plan plan(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric, const LibrarySpec& library,
          const LaunchSpec& launch, const Catalog& catalog) {
    return Planner(workload, fabric, library, launch, catalog).plan(size);
}

double busbw_factor(Collective collective, std::uint32_t ranks) {
    const double n = ranks;
    switch (collective) {
        case Collective::all_reduce:
            return 2 * (n - 1) / n;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all:
        case Collective::all_to_all_v:
        case Collective::gather:
        case Collective::scatter:
            return (n - 1) / n;
        case Collective::broadcast:
        case Collective::reduce:
        case Collective::sendrecv:
            return 1;
    }
    return 1;
}

}  // namespace fabricast
