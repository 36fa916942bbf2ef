#include "sim/report/step_evidence.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "sim/plan/training/group_edges.hpp"

namespace fabricast::inline report {

namespace {

constexpr double reach = 8;                // multiple of the largest table's GPUs up to which it still counts
constexpr double share_that_counts = 0.1;  // minimum share of the step

std::string place_of(const Groups& groups, const Fabric& fabric) {
    return spread_of(groups, fabric.gpus_per_node(), false).shape.nodes > 1 ? "between" : "inside";
}

// "gpu.h100-sxm.bf16" -> "gpu", "h100-sxm", "bf16".
std::array<std::string, 3> pieces(const std::string& aspect) {
    const std::vector<std::string_view> words = split(aspect, '.');
    std::array<std::string, 3> out;
    std::copy_n(words.begin(), std::min(words.size(), out.size()), out.begin());
    return out;
}

std::string arch_of(const std::string& gpu, const Catalog& catalog) {
    const Part* part = catalog.find(gpu);
    return part == nullptr ? "" : part->word_or("arch", "");
}

// The distance of the GPU from those in the tables: 1 if a table has the GPU in another precision, or another GPU of
// its architecture; else 2.
int gpu_distance(const std::string& aspect, const AspectsMet& met, const Catalog& catalog) {
    const std::string name = pieces(aspect)[1];
    const std::string arch = arch_of(name, catalog);
    for (const auto& [other, gpus] : met) {
        const auto [kind, gpu, precision] = pieces(other);
        if (kind == "gpu" && (gpu == name || (!arch.empty() && arch_of(gpu, catalog) == arch))) { return 1; }
    }
    return 2;
}

// "no training table has experts between nodes".
std::string missing_words(const std::string& aspect) {
    const auto [kind, first, second] = pieces(aspect);
    const std::string what = kind == "gpu"         ? first + " in " + second
                             : kind == "framework" ? first
                             : kind == "network"   ? first
                             : kind == "sharding"  ? first + (second.empty() ? "" : " with a " + second)
                             : first == "between"  ? kind + " between nodes"
                             : first == "inside"   ? kind + " inside a node"
                                                   : kind + (first.empty() ? "" : " " + first);
    return "no training table has " + what;
}

}  // namespace

std::vector<std::string> step_aspects(const TrainingWorkload& w, const ModelShape& model, const Layout& layout,
                                      const Fabric& fabric) {
    std::vector<std::string> aspects = {
        "gpu." + std::string(fabric.node().gpu.name) + "." + std::string(to_string(w.precision)),
        "framework." + w.framework, "sharding." + std::string(to_string(w.sharding))};
    if (fabric.node_count() > 1) { aspects.push_back("network." + std::string(fabric.cluster().fabric.link.name)); }
    if (layout.p > 1) {
        aspects.push_back(layout.v > 1 ? "pipeline.interleaved" : "pipeline.plain");
        if (w.sharding >= Sharding::zero_2) {
            aspects.push_back("sharding." + std::string(to_string(w.sharding)) + ".pipeline");
        }
    }
    if (layout.c > 1) { aspects.push_back("context." + place_of(layout.context(0), fabric)); }
    if (model.experts > 0) {
        aspects.push_back(layout.e > 1 ? "experts." + place_of(layout.expert(0), fabric) : "experts.whole");
    }
    if (model.convolutional()) { aspects.emplace_back("convolutions"); }
    return aspects;
}

AspectsMet aspects_met(const Catalog& catalog) {
    AspectsMet met;
    const Part& tables = catalog.at("evidence", "training-tables");
    for (const auto& [name, figure] : tables.figures) { met[name] = tables.number(name); }
    return met;
}

Evidence evidence_of_aspects(const std::vector<std::string>& aspects, double gpus, const AspectsMet& met,
                             const Catalog& catalog, std::vector<std::string>& notes) {
    int distance = 0;
    double largest = 0;
    for (const std::string& aspect : aspects) {
        const auto found = met.find(aspect);
        const bool is_gpu = aspect.starts_with("gpu.");
        if (found != met.end()) {
            largest = is_gpu ? found->second : largest;
            continue;
        }
        distance += is_gpu ? gpu_distance(aspect, met, catalog) : 1;
        notes.push_back(missing_words(aspect));
    }
    if (largest > 0 && gpus > reach * largest) {
        ++distance;
        notes.push_back("the largest training table of this GPU and precision has " +
                        std::to_string(static_cast<long>(largest)) + " GPUs");
    }
    return distance == 0   ? Evidence::same_gpu_era_fabric
           : distance == 1 ? Evidence::same_family
                           : Evidence::formula_only;
}

StepRating rating(const TrainingFacts& step, const Fabric& fabric, const Catalog& catalog, const StepRow& row) {
    StepRating out;
    out.evidence = evidence_of_aspects(step_aspects(step.workload, step.model, step.layout, fabric), row.gpus,
                                       aspects_met(catalog), catalog, out.notes);
    const std::array<double, comm_kinds> exposed = {row.exposed_tensor_s, row.exposed_context_s, row.exposed_expert_s,
                                                    row.exposed_pipeline_s, row.exposed_data_s};
    for (std::size_t kind = 0; kind < comm_kinds; ++kind) {
        if (exposed[kind] >= share_that_counts * row.step_time_s && step.evidence[kind] > out.evidence) {
            out.evidence = step.evidence[kind];
            merge_notes(out.notes, step.evidence_notes);
        }
    }
    // One site's collectives say little about a step: they count as the family's.
    const Evidence like = out.evidence == Evidence::one_site ? Evidence::same_family : out.evidence;
    const Figure& ratio = catalog.at("interval", "training-intervals").figure(enum_name(interval_names, like));
    out.low80 = ratio.low80;
    out.high80 = ratio.high80;
    return out;
}

}  // namespace fabricast::inline report
