#include "sim/run/explain/counterfactual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/parallel_map_ordered.hpp"
#include "base/text.hpp"
#include "models/catalog_reader.hpp"
#include "sim/run/explain/scenario_text.hpp"
#include "sim/run/simulate.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline explain {

namespace {

class Changes {
public:
    Changes(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog)
        : scenario_(single_point(scenario)), fabric_(fabric), catalog_(catalog) {
        const Cluster& cluster = fabric.cluster();
        networked_ = fabric.node_count() > 1 && cluster.fabric.kind != FabricKind::explicit_graph;
        if (networked_) {
            // Fixes what the builder chose by rate and size, so that the changes below do not change the choice.
            scenario_.cluster.link = cluster.fabric.link.name;
            scenario_.cluster.switch_part = cluster.fabric.switch_part;
            scenario_.cluster.radix = cluster.fabric.radix;
        }
    }

    std::vector<Counterfactual> all() {
        links_twice_as_fast();
        latencies_halved();
        if (networked_) { fabrics(); }
        computing();
        return std::move(changes_);
    }

private:
    void add(std::string name, std::string words, Scenario scenario, std::string overlay = "") {
        changes_.push_back({std::move(name), std::move(words), std::move(scenario), std::move(overlay), 0, ""});
    }
    void add(std::string name, const std::string& words, const OverlayText& overlay) {
        if (!overlay.empty()) { add(std::move(name), words, scenario_, overlay.text(words)); }
    }

    void scale_rate(OverlayText& overlay, const std::string& link, double factor) const {
        if (const Part* part = catalog_.find(link)) {
            overlay.scale(link, part->has("rate") ? "rate" : "signalling", factor);
        }
    }

    // The catalogue links of the node's cables that belong to a family.
    std::set<std::string> links_of_node(LinkFamily family) const {
        std::set<std::string> names;
        for (const NodeCable& cable : fabric_.node().cables) {
            if (cable.link.family == family) { names.insert(cable.link.name); }
        }
        return names;
    }

    void links_twice_as_fast() {
        for (const auto& [name, words, family] :
             {std::tuple{"nvlink", "NVLink", LinkFamily::nvlink}, std::tuple{"pcie", "PCIe", LinkFamily::pcie},
              std::tuple{"cpu-bus", "bus between CPUs", LinkFamily::cpu_bus}}) {
            OverlayText overlay(catalog_);
            for (const std::string& link : links_of_node(family)) { scale_rate(overlay, link, 2); }
            if (family == LinkFamily::nvlink && !overlay.empty()) {
                overlay.scale(fabric_.node().gpu.name, "nvlink.rate", 2);
            }
            add(std::string(name) + "-twice-as-fast", std::string(words) + " twice as fast", overlay);
        }
        if (networked_) {
            const FabricSpec& spec = fabric_.cluster().fabric;
            OverlayText overlay(catalog_);
            scale_rate(overlay, spec.link.name, 2);
            scale_rate(overlay, spec.trunk.name, 2);
            overlay.scale(fabric_.node().nic_part, "port_rate", 2);
            overlay.scale(spec.switch_part, "port_rate", 2);
            add("network-twice-as-fast", spec.link.name + ", its NIC and switch ports twice as fast", overlay);
        }
    }

    void latencies_halved() {
        OverlayText inside(catalog_);
        for (const LinkFamily family : {LinkFamily::nvlink, LinkFamily::pcie, LinkFamily::cpu_bus}) {
            for (const std::string& link : links_of_node(family)) { inside.scale(link, "latency", 0.5); }
        }
        add("node-latency-halved", "latency of the node's links halved", inside);
        if (networked_) {
            const FabricSpec& spec = fabric_.cluster().fabric;
            OverlayText network(catalog_);
            network.scale(spec.link.name, "latency", 0.5);
            network.scale(spec.trunk.name, "latency", 0.5);
            network.scale(spec.switch_part, "latency", 0.5);
            const Part& layout = catalog_.at("layout", "usual-layout");
            network.scale(layout.name, "node_cable", 0.5);
            network.scale(layout.name, "trunk_cable", 0.5);
            network.scale(layout.word("cable"), "ends", 0.5);
            add("network-latency-halved", "latency of network links, cables and switches halved", network);
        }
        // The figures in seconds of the software that the forecast uses.
        OverlayText library(catalog_);
        OverlayText transport(catalog_);
        for (const FigureUsed& figure : simulate(scenario_, catalog_).figures) {
            const Part* part = catalog_.find(figure.part);
            if (part != nullptr && figure.unit == "s") {
                (part->kind == "transport" ? transport : library).scale(figure.part, figure.figure, 0.5);
            }
        }
        const bool transfer = std::holds_alternative<TransferWorkload>(scenario_.workload);
        add("library-overheads-halved",
            transfer ? "fixed times of the data path and of who sends messages halved"
                     : "starts, hops and launches of the library halved",
            library);
        add("transport-overheads-halved", "hops and messages of the transport halved", transport);
    }

    // Changes of the scenario's keys, not of figures.
    void fabrics() {
        const FabricSpec& spec = fabric_.cluster().fabric;
        const auto with = [&](bool applies, const char* name, const std::string& words, const auto& change) {
            if (!applies) { return; }
            Scenario changed = scenario_;
            change(changed.cluster);
            add(name, words, std::move(changed));
        };
        const bool rails = spec.kind == FabricKind::rail_optimized;
        const bool clos = spec.kind == FabricKind::fat_tree || rails;
        with(clos && spec.oversubscription != 1, "full-bisection", "1:1 in place of the leaves' oversubscription",
             [](ClusterRequest& c) { c.oversubscription = 1; });
        with(clos && spec.oversubscription == 1 && fabric_.tiers().size() > 1, "oversubscribed-2-to-1",
             "2:1 at the leaves in place of 1:1", [](ClusterRequest& c) { c.oversubscription = 2; });
        with(clos, rails ? "fat-tree" : "rail-optimized",
             rails ? "a fat tree in place of rails" : "rails in place of a fat tree",
             [&](ClusterRequest& c) { c.fabric_kind = rails ? "fat-tree" : "rail-optimized"; });
        const bool hashes = spec.choice == PathChoice::ecmp;
        with(true, hashes ? "adaptive-routing" : "ecmp",
             hashes ? "adaptive routing in place of hashing" : "hashing in place of adaptive routing",
             [&](ClusterRequest& c) { c.routing = hashes ? "adaptive" : "ecmp"; });
        const std::uint32_t nics = fabric_.nics_per_node();
        const auto with_nics = [](std::uint32_t count) {
            return [count](ClusterRequest& c) { c.node_options["nics"] = fmt::to_string(count); };
        };
        with(true, "twice-the-ports",
             nics == 1 ? "one NIC port more per node" : fmt::format("two ports on each of the {} NICs of a node", nics),
             with_nics(2 * nics * static_cast<std::uint32_t>(fabric_.node().nic_ports)));
        // A rack with one NIC less is nothing that anyone builds.
        with(nics > 1 && Trays(fabric_.node()).count == 1, "one-nic-less", "one NIC less per node",
             with_nics(nics - 1));
        other_family(spec);
    }

    // InfiniBand instead of Ethernet, or the reverse, at the link's rate.
    void other_family(const FabricSpec& spec) {
        const bool infiniband = spec.link.family == LinkFamily::infiniband;
        if (!infiniband && spec.link.family != LinkFamily::ethernet) { return; }
        const Part& own = catalog_.at("link", spec.link.name);
        const double lanes = own.number_or("lanes", 4);
        const double mine = own.number_or("signalling", 0) * lanes;
        // Rates of equal generations differ a little by their encodings; generations differ by a factor of two.
        const auto fits = [&](const Part* part) {
            if (part->word("family") != (infiniband ? "ethernet" : "infiniband") || !part->has("lanes") ||
                part->number("lanes", "") != lanes) {
                return false;
            }
            const double rate = part->number("signalling", "T/s") * lanes;
            return rate > 0.9 * mine && rate < 1.1 * mine;
        };
        const std::vector<const Part*> links = catalog_.of_kind("link");
        const auto found = std::ranges::find_if(links, fits);
        if (found == links.end()) { return; }
        const std::string& other = (*found)->name;
        Scenario changed = scenario_;
        changed.cluster.link = other;
        changed.cluster.trunk.clear();
        changed.cluster.switch_part.clear();
        changed.cluster.radix = 0;
        changed.cluster.routing.clear();
        changed.library.network_plugin.clear();
        add(infiniband ? "roce" : "infiniband", other + " in place of " + spec.link.name, std::move(changed));
    }

    void computing() {
        if (!std::holds_alternative<TrainingWorkload>(scenario_.workload)) { return; }
        OverlayText faster(catalog_);
        const Part* gpu = catalog_.find(fabric_.node().gpu.name);
        if (gpu != nullptr) {
            for (const auto& [name, figure] : gpu->figures) {
                if (name.starts_with("flops.") || name == "memory.bandwidth") { faster.scale(gpu->name, name, 2); }
            }
        }
        add("gpu-twice-as-fast", "GPU arithmetic and memory twice as fast", faster);
        layouts();
    }

    // Another layout of the step on the same cluster; one that does not fit says so. `fabricast plan` searches all.
    void layouts() {
        using W = TrainingWorkload;
        const auto with = [&](bool applies, const char* name, const std::string& words, const auto& change) {
            if (!applies) { return; }
            Scenario changed = scenario_;
            auto& w = std::get<W>(changed.workload);
            change(w);
            w.parallelism.data = 0;  // what the GPUs allow
            add(name, words, std::move(changed));
        };
        const auto& now = std::get<W>(scenario_.workload);
        const Parallelism& cut = now.parallelism;
        const auto over = [&](std::uint32_t ranks) {
            return fmt::format("layers over {} ranks in place of {}", ranks, cut.tensor);
        };
        const bool staged = cut.pipeline > 1, whole_states = now.sharding <= Sharding::zero_1;
        with(now.global_batch > 0, "micro-batch-doubled", fmt::format("micro-batches of {}", 2 * now.micro_batch),
             [](W& w) { w.micro_batch *= 2; });
        with(now.micro_batch % 2 == 0, "micro-batch-halved", fmt::format("micro-batches of {}", now.micro_batch / 2),
             [](W& w) { w.micro_batch /= 2; });
        with(true, "tensor-doubled", over(2 * cut.tensor), [](W& w) { w.parallelism.tensor *= 2; });
        with(cut.tensor % 2 == 0, "tensor-halved", over(cut.tensor / 2), [](W& w) { w.parallelism.tensor /= 2; });
        with(cut.pipeline % 2 == 0, "pipeline-halved",
             fmt::format("{} in place of {}", plural(cut.pipeline / 2, "stage"), cut.pipeline), [](W& w) {
                 w.parallelism.pipeline /= 2;
                 w.parallelism.chunks = w.parallelism.pipeline == 1 ? 1 : w.parallelism.chunks;
             });
        with(staged, "more-chunks", fmt::format("{} pieces of the model on a stage", 2 * cut.chunks),
             [](W& w) { w.parallelism.chunks *= 2; });
        with(staged && cut.chunks == 1 && now.order == PipelineOrder::one_f_one_b && whole_states, "zero-bubble",
             "gradients of weights while a stage would wait (zero bubble)",
             [](W& w) { w.order = PipelineOrder::zero_bubble; });
        with(cut.pipeline % 2 == 0 && cut.chunks == 1 && now.order != PipelineOrder::dual_pipe && whole_states,
             "dual-pipe", "half of the micro-batches enter at each end of the pipeline (DualPipe)", [](W& w) {
                 w.order = PipelineOrder::dual_pipe;
                 w.deferred_embedding = false;
             });
        with(staged && now.order < PipelineOrder::zero_bubble && !now.deferred_embedding && whole_states,
             "embedding-deferred", "gradients of the output matrix when the last stage has nothing else to do",
             [](W& w) { w.deferred_embedding = true; });
        with(!now.offload.optimizer, "optimizer-on-host", "the optimizer's states and step in host memory",
             [](W& w) { w.offload.optimizer = true; });
        with(now.recompute != Recompute::none && !(now.offload.activations > 0), "activations-on-host",
             "activations in host memory in place of computed again", [](W& w) {
                 w.recompute = Recompute::none;
                 w.offload.activations = 1;
             });
        with(cut.context > 1 && now.context_by == ContextBy::ring, "context-gathered",
             "keys and values gathered in place of a ring", [](W& w) { w.context_by = ContextBy::all_gather; });
        with(cut.tensor > 1 && !now.overlap.tensor, "tensor-overlap", "tensor-parallel traffic beside its products",
             [](W& w) { w.overlap.tensor = true; });
        with(cut.expert > 1 && !now.overlap.experts, "expert-overlap",
             "tokens travel to experts beside another micro-batch's layers", [](W& w) { w.overlap.experts = true; });
        with(cut.expert > 1 && now.dispatch == Dispatch::all_to_all, "dispatched-once",
             "a token sent once to each node or rank that has any of its experts",
             [](W& w) { w.dispatch = Dispatch::once; });
        with(now.recompute != Recompute::none, "nothing-recomputed", "no activations computed again",
             [](W& w) { w.recompute = Recompute::none; });
    }

    Scenario scenario_;
    const Fabric& fabric_;
    const Catalog& catalog_;
    bool networked_ = false;
    std::vector<Counterfactual> changes_;
};

// Runs one change; if the scenario cannot be built, planned or finished, states why.
Counterfactual ran(Counterfactual change, const Catalog& catalog, const Watch& watch) {
    try {
        Catalog changed;
        const bool figures = !change.overlay.empty();
        if (figures) { merge_overlay(changed = catalog, yaml::parse(change.overlay, change.name)); }
        change.seconds = seconds_of(simulate(change.scenario, figures ? changed : catalog, watch));
    } catch (const InputError& error) { change.failure = error.message; } catch (const CannotEnd& error) {
        change.failure = error.what();
    }
    return change;
}

}  // namespace

std::vector<Counterfactual> counterfactuals(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog) {
    return Changes(scenario, fabric, catalog).all();
}

void run_all(std::vector<Counterfactual>& changes, double base_seconds, const Catalog& catalog, std::size_t threads,
             const Watch& watch) {
    const Watch quiet{watch.stop, {}};
    changes = parallel_map(changes.size(), threads, [&](std::size_t i) { return ran(changes[i], catalog, quiet); });
    std::ranges::stable_sort(changes, std::greater(), [&](const Counterfactual& c) {
        return c.failure.empty() ? std::abs(c.seconds / base_seconds - 1) : -1;
    });
}

}  // namespace fabricast::inline explain
