// Every collective on every shipped node and every kind of fabric ends, and no faster than its links allow.

#include <array>
#include <sstream>

#include "sim/plan/planner.hpp"
#include "sim/report/summarize.hpp"
#include "sim/scenario/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/thorough.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;

namespace {

constexpr std::array<std::string_view, 8> kinds = {"single-switch", "fat-tree",       "rail-optimized", "rail-only",
                                                   "dragonfly",     "dragonfly-plus", "torus",          "dual-plane"};
constexpr std::array<std::uint32_t, 5> node_counts = {1, 2, 3, 5, 8};

std::vector<std::string> every_node() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_nodes()) {
        const std::string_view stem = file.name.substr(file.name.rfind('/') + 1);
        names.emplace_back(stem.substr(0, stem.rfind('.')));
    }
    return names;
}

// What the devices of one kind can take in at once, per direction.
double into(const Fabric& fabric, DeviceId device) {
    double capacity = 0;
    for (std::uint32_t l = 0; l < fabric.first_link(1); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        capacity += ends.to == device && !ends.resource ? fabric.link(LinkId{l}).capacity : 0;
    }
    return capacity;
}

double into_node(const Fabric& fabric) {
    double capacity = 0;
    for (std::uint32_t l = 0; l < fabric.first_link(1); ++l) {
        const bool inward = fabric.kind(fabric.ends(LinkId{l}).from) == DeviceKind::fabric_switch ||
                            fabric.node_of(fabric.ends(LinkId{l}).from) != 0;
        capacity += inward ? fabric.link(LinkId{l}).capacity : 0;
    }
    return capacity;
}

// The least that some group of `inside` ranks (one rank, or one node's) must take in or give out of a call of 1 byte,
// whatever the algorithm: what it lacks at the start, or alone holds.
double least_moved(Collective collective, double ranks, double inside) {
    switch (collective) {
        case Collective::all_reduce:  // the sum of the others' buffers
        case Collective::broadcast:
        case Collective::reduce:
        case Collective::sendrecv: return 1;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::gather:  // into the root's
        case Collective::scatter: return (ranks - inside) / ranks;
        case Collective::all_to_all:
        case Collective::all_to_all_v: return inside * (ranks - inside) / ranks;
    }
    return 0;
}

// Bytes per second of nccl-tests' busbw that no algorithm can exceed.
double most_busbw(const Fabric& fabric, Collective collective) {
    const double ranks = fabric.gpu_count();
    const double per_node = fabric.gpus_per_node();
    double least_seconds = 0;  // of a call of 1 byte
    if (per_node > 1) { least_seconds = least_moved(collective, ranks, 1) / into(fabric, fabric.gpu(0)); }
    if (fabric.node_count() > 1) {
        least_seconds = std::max(least_seconds, least_moved(collective, ranks, per_node) / into_node(fabric));
    }
    return busbw_factor(collective, fabric.gpu_count()) / least_seconds;
}

struct Trial {
    std::string node;
    std::string_view kind;
    std::uint32_t nodes = 1;
    std::uint32_t gpus = 0;  // of each node; 0: all
};

constexpr double rounding = 1 + 1e-9;

// Every third trial in a quick run; every seventh in a build under AddressSanitizer, which takes a dozen times as long:
// all of the others' kinds, nodes and counts are among them.
const std::size_t every = testing::address_sanitizer ? 7 : testing::thorough() ? 1 : 3;

// Every collective of one cluster; what went wrong in words.
class Trials {
public:
    Trials(Engine engine, std::vector<Bytes> sizes) : engine_(std::move(engine)), sizes_(std::move(sizes)) {}

    void run(const Trial& trial) {
        if (asked_++ % every != 0) { return; }
        Scenario scenario;
        scenario.name = "every-fabric";
        scenario.cluster.node = trial.node;
        scenario.cluster.nodes = trial.nodes;
        scenario.cluster.fabric_kind = trial.kind;
        scenario.cluster.gpus_per_node = trial.gpus;
        Cluster cluster;
        try {
            cluster = build(scenario, catalogue());
        } catch (const InputError& error) {  // a port that does not split into planes
            if (trial.kind != "dual-plane") { say(trial, "build", error.what()); }
            return;
        }
        const std::uint64_t cables =
            std::uint64_t{cluster.nodes} * cluster.node.nics * static_cast<std::uint32_t>(cluster.node.nic_ports);
        if (trial.kind == "single-switch" && cables > static_cast<std::uint64_t>(cluster.fabric.radix)) {
            CHECK_THROWS_AS(Fabric(cluster), ClusterError);  // what one switch cannot take
            return;
        }
        std::optional<Fabric> fabric;
        attempt(trial, "build", [&] { fabric.emplace(cluster); });
        if (!fabric || fabric->gpu_count() < 2) { return; }
        for (int c = 0; c <= static_cast<int>(Collective::scatter); ++c) {
            scenario.workload = CollectiveWorkload{};
            auto& workload = std::get<CollectiveWorkload>(scenario.workload);
            workload.collective = static_cast<Collective>(c);
            attempt(trial, to_string(workload.collective), [&] { call(trial, workload, *fabric, scenario); });
        }
    }

    std::size_t tried() const { return tried_; }
    std::string wrong() const { return wrong_.str(); }

private:
    void call(const Trial& trial, const CollectiveWorkload& workload, const Fabric& fabric, const Scenario& scenario) {
        const Workload called = workload;
        const SizePlanner planner = planner_of(called, {fabric, scenario.library, scenario.launch, catalogue()});
        for (const Bytes size : sizes_) {
            const Plan plan = planner(size, {false});
            const Timelines timelines = replay(engine_, fabric, plan);
            const Row row = summarize({plan, timelines, fabric, catalogue()}).rows.front();
            const double most = most_busbw(fabric, workload.collective);
            ++tried_;
            if (!(row.time_s > 0) || !(row.busbw > 0) || row.busbw > most * rounding) {
                say(trial, to_string(workload.collective),
                    std::to_string(size.count) + " B in " + std::to_string(row.time_s * 1e6) + " us, busbw " +
                        std::to_string(row.busbw / 1e9) + " GB/s where links allow " + std::to_string(most / 1e9));
            }
        }
    }

    template <class Function> void attempt(const Trial& trial, std::string_view what, Function&& function) {
        try {
            function();
        } catch (const std::exception& error) { say(trial, what, error.what()); }
    }

    void say(const Trial& trial, std::string_view what, const std::string& text) {
        wrong_ << trial.node << " x " << trial.nodes << ", " << trial.kind << ", " << what << ": " << text << "\n";
    }

    Engine engine_;
    std::vector<Bytes> sizes_;
    std::size_t asked_ = 0, tried_ = 0;
    std::ostringstream wrong_;
};

}  // namespace

TEST_CASE("every collective ends in flow on every node, fabric and count, within what its links allow") {
    Trials trials(Flow{}, {Bytes{1 << 20}, Bytes{1 << 30}});
    for (const std::string& node : every_node()) {
        for (const std::string_view kind : kinds) {
            for (const std::uint32_t nodes : node_counts) { trials.run({node, kind, nodes}); }
        }
    }
    CHECK(trials.wrong() == "");
    CHECK(trials.tried() > 20000 / every);
}

// Two GPUs of each node, and five of a rack, so that a second tray takes part: packets are many.
TEST_CASE("every collective ends in packet on every node, fabric and count, within what its links allow") {
    Packet packet;
    packet.threads = 1;
    Trials trials(packet, {Bytes{64 << 10}});
    for (const std::string& node : every_node()) {
        const std::uint32_t gpus = node_template(node, catalogue()).gpus;
        for (const std::string_view kind : kinds) {
            for (const std::uint32_t nodes : node_counts) {
                trials.run({node, kind, nodes, gpus > 8 && node != "dgx-2" ? 5U : std::min(gpus, 2U)});
            }
        }
    }
    CHECK(trials.wrong() == "");
    CHECK(trials.tried() > 10000 / every);
}
