#include "sim/run/explain/counterfactual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/parallel_map_ordered.hpp"
#include "models/catalog_reader.hpp"
#include "models/device_part.hpp"
#include "sim/run/explain/explained_run.hpp"
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
        const auto with = [&](const char* name, const std::string& words, const auto& change) {
            Scenario changed = scenario_;
            change(changed.cluster);
            add(name, words, std::move(changed));
        };
        const bool clos = spec.kind == FabricKind::fat_tree || spec.kind == FabricKind::rail_optimized;
        if (clos && spec.oversubscription != 1) {
            with("full-bisection", "1:1 in place of the leaves' oversubscription",
                 [](ClusterRequest& c) { c.oversubscription = 1; });
        } else if (clos && fabric_.tiers().size() > 1) {
            with("oversubscribed-2-to-1", "2:1 at the leaves in place of 1:1",
                 [](ClusterRequest& c) { c.oversubscription = 2; });
        }
        if (clos) {
            const bool rails = spec.kind == FabricKind::rail_optimized;
            with(rails ? "fat-tree" : "rail-optimized",
                 rails ? "a fat tree in place of rails" : "rails in place of a fat tree",
                 [&](ClusterRequest& c) { c.fabric_kind = rails ? "fat-tree" : "rail-optimized"; });
        }
        const bool hashes = spec.choice == PathChoice::ecmp;
        with(hashes ? "adaptive-routing" : "ecmp",
             hashes ? "adaptive routing in place of hashing" : "hashing in place of adaptive routing",
             [&](ClusterRequest& c) { c.routing = hashes ? "adaptive" : "ecmp"; });
        const std::uint32_t nics = fabric_.nics_per_node();
        with("twice-the-ports",
             nics == 1 ? "one NIC port more per node" : fmt::format("two ports on each of the {} NICs of a node", nics),
             [&](ClusterRequest& c) {
                 c.node_options["nics"] =
                     fmt::to_string(2 * nics * static_cast<std::uint32_t>(fabric_.node().nic_ports));
             });
        if (nics > 1 && Trays(fabric_.node()).count == 1) {  // a rack with one NIC less is nothing that anyone builds
            with("one-nic-less", "one NIC less per node",
                 [&](ClusterRequest& c) { c.node_options["nics"] = fmt::to_string(nics - 1); });
        }
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
        const auto with = [&](const char* name, const std::string& words, const auto& change) {
            Scenario changed = scenario_;
            auto& w = std::get<TrainingWorkload>(changed.workload);
            change(w);
            w.parallelism.data = 0;  // what the GPUs allow
            add(name, words, std::move(changed));
        };
        const auto& now = std::get<TrainingWorkload>(scenario_.workload);
        const Parallelism& cut = now.parallelism;
        const auto over = [&](std::uint32_t ranks) {
            return fmt::format("layers over {} ranks in place of {}", ranks, cut.tensor);
        };
        if (now.global_batch > 0) {
            with("micro-batch-doubled", fmt::format("micro-batches of {}", 2 * now.micro_batch),
                 [](TrainingWorkload& w) { w.micro_batch *= 2; });
        }
        if (now.micro_batch % 2 == 0) {
            with("micro-batch-halved", fmt::format("micro-batches of {}", now.micro_batch / 2),
                 [](TrainingWorkload& w) { w.micro_batch /= 2; });
        }
        with("tensor-doubled", over(2 * cut.tensor), [](TrainingWorkload& w) { w.parallelism.tensor *= 2; });
        if (cut.tensor % 2 == 0) {
            with("tensor-halved", over(cut.tensor / 2), [](TrainingWorkload& w) { w.parallelism.tensor /= 2; });
        }
        if (cut.pipeline % 2 == 0) {
            with("pipeline-halved",
                 fmt::format("{} stage{} in place of {}", cut.pipeline / 2, cut.pipeline > 2 ? "s" : "", cut.pipeline),
                 [](TrainingWorkload& w) {
                     w.parallelism.pipeline /= 2;
                     w.parallelism.chunks = w.parallelism.pipeline == 1 ? 1 : w.parallelism.chunks;
                 });
        }
        if (cut.pipeline > 1) {
            with("more-chunks", fmt::format("{} pieces of the model on a stage", 2 * cut.chunks),
                 [](TrainingWorkload& w) { w.parallelism.chunks *= 2; });
        }
        if (cut.pipeline > 1 && cut.chunks == 1 && now.order == PipelineOrder::one_f_one_b &&
            now.sharding <= Sharding::zero_1) {
            with("zero-bubble", "gradients of weights while a stage would wait (zero bubble)",
                 [](TrainingWorkload& w) { w.order = PipelineOrder::zero_bubble; });
        }
        if (cut.pipeline % 2 == 0 && cut.chunks == 1 && now.order != PipelineOrder::dual_pipe &&
            now.sharding <= Sharding::zero_1) {
            with("dual-pipe", "half of the micro-batches enter at each end of the pipeline (DualPipe)",
                 [](TrainingWorkload& w) {
                     w.order = PipelineOrder::dual_pipe;
                     w.deferred_embedding = false;
                 });
        }
        if (cut.pipeline > 1 && now.order < PipelineOrder::zero_bubble && !now.deferred_embedding &&
            now.sharding <= Sharding::zero_1) {
            with("embedding-deferred", "gradients of the output matrix when the last stage has nothing else to do",
                 [](TrainingWorkload& w) { w.deferred_embedding = true; });
        }
        if (!now.offload.optimizer) {
            with("optimizer-on-host", "the optimizer's states and step in host memory",
                 [](TrainingWorkload& w) { w.offload.optimizer = true; });
        }
        if (now.recompute != Recompute::none && !(now.offload.activations > 0)) {
            with("activations-on-host", "activations in host memory in place of computed again",
                 [](TrainingWorkload& w) {
                     w.recompute = Recompute::none;
                     w.offload.activations = 1;
                 });
        }
        if (cut.context > 1 && now.context_by == ContextBy::ring) {
            with("context-gathered", "keys and values gathered in place of a ring",
                 [](TrainingWorkload& w) { w.context_by = ContextBy::all_gather; });
        }
        if (cut.tensor > 1 && !now.overlap.tensor) {
            with("tensor-overlap", "tensor-parallel traffic beside its products",
                 [](TrainingWorkload& w) { w.overlap.tensor = true; });
        }
        if (cut.expert > 1 && !now.overlap.experts) {
            with("expert-overlap", "tokens travel to experts beside another micro-batch's layers",
                 [](TrainingWorkload& w) { w.overlap.experts = true; });
        }
        if (cut.expert > 1 && now.dispatch == Dispatch::all_to_all) {
            with("dispatched-once", "a token sent once to each node or rank that has any of its experts",
                 [](TrainingWorkload& w) { w.dispatch = Dispatch::once; });
        }
        if (now.recompute != Recompute::none) {
            with("nothing-recomputed", "no activations computed again",
                 [](TrainingWorkload& w) { w.recompute = Recompute::none; });
        }
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
        if (change.overlay.empty()) {
            change.seconds = run_seconds(change.scenario, catalog, watch);
        } else {
            Catalog changed = catalog;
            merge_overlay(changed, yaml::parse(change.overlay, change.name));
            change.seconds = run_seconds(change.scenario, changed, watch);
        }
    } catch (const InputError& error) { change.failure = error.message; } catch (const CannotEnd& error) {
        change.failure = error.what();
    }
    return change;
}

}  // namespace

std::vector<Counterfactual> counterfactuals(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog) {
    return Changes(scenario, fabric, catalog).all();
}

double seconds_of(const Report& report) {
    return !report.steps.empty()  ? report.steps.back().step_time_s
           : !report.rows.empty() ? report.rows.back().time_s
           : report.replay        ? report.replay->makespan_s
                                  : 0;
}

double run_seconds(const Scenario& scenario, const Catalog& catalog, const Watch& watch) {
    return seconds_of(simulate(scenario, catalog, watch));
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
