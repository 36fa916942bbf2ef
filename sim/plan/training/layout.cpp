#include "sim/plan/training/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace fabricast::inline training {

namespace {

template <class... Args>
[[noreturn]] void refuse(std::string_view key, fmt::format_string<Args...> what, Args&&... args) {
    throw LayoutError(fmt::format("workload.{}", key), fmt::format(what, std::forward<Args>(args)...));
}

std::uint32_t data_ranks(const Parallelism& cut, std::uint32_t gpus) {
    const std::uint64_t one = std::uint64_t{cut.tensor} * cut.context * cut.pipeline;
    if (one > gpus || gpus % one != 0) {
        refuse("parallelism",
               "one copy of the model takes tensor x context x pipeline = {} GPUs, and the cluster's {} are not a "
               "multiple "
               "of that",
               one, gpus);
    }
    const std::uint64_t data = gpus / one;
    if (cut.data > 0 && cut.data != data) {
        refuse("parallelism.data", "data = {} with {} GPUs a copy takes {} GPUs; the cluster has {} (accepted: {})",
               cut.data, one, one * cut.data, gpus, data);
    }
    return static_cast<std::uint32_t>(data);
}

// A dense model sends no tokens to experts.
void check_experts(const TrainingWorkload& workload, const ModelShape& model) {
    const std::pair<std::string_view, bool> of_experts[] = {
        {"dispatch", workload.dispatch != Dispatch::all_to_all},
        {"narrow_dispatch", workload.narrow_dispatch},
        {"balanced_routing", workload.balanced_routing},
        {"skew", workload.skew > 0},
        {"overlap.experts", workload.overlap.experts},
        {"parallelism.expert_tensor", workload.parallelism.expert_tensor > 1},
        {"dimensions.experts_per_token", workload.dimensions.experts_per_token > 0},
        {"dimensions.expert_ffn", workload.dimensions.expert_ffn > 0}};
    for (const auto& [key, stated] : of_experts) {
        if (stated && model.experts == 0) {
            refuse(key,
                   "'{}' changes nothing: the model has no experts (accepted: a model with experts, or "
                   "`dimensions.experts`)",
                   key);
        }
    }
}

// The busiest of e ranks takes in at least the mean, and at most every token, once for each of its E / e experts.
void check_skew(const TrainingWorkload& workload, const ModelShape& model) {
    if (!(workload.skew > 0)) { return; }
    const double ranks = workload.parallelism.expert;
    const double most = std::min(ranks, model.experts / model.experts_per_token);
    if (workload.balanced_routing) {
        refuse("skew", "skew = {} beside balanced_routing: true (accepted: one of them)", workload.skew);
    }
    if (workload.skew < 1 || (ranks > 1 && workload.skew > most)) {
        refuse("skew",
               "the busiest of {} ranks cannot have {} times the mean of tokens that visit {:.0f} of {:.0f} experts "
               "(accepted: 0, or 1 to {:g})",
               ranks, workload.skew, model.experts_per_token, model.experts, ranks > 1 ? most : 1024);
    }
}

void check_experts_per_token(const TrainingWorkload& workload, const ModelShape& model) {
    if (model.experts == 0 || model.experts_per_token <= model.experts) { return; }
    const bool stated = workload.dimensions.experts_per_token > 0;
    refuse(stated ? "dimensions.experts_per_token" : "dimensions.experts",
           "a token cannot visit {:.0f} of {:.0f} experts (accepted: {})", model.experts_per_token, model.experts,
           stated ? fmt::format("up to {:.0f}", model.experts)
                  : fmt::format("{:.0f} or more, or `dimensions.experts_per_token`", model.experts_per_token));
}

// Ulysses gives each context rank a share of the heads that a tensor rank has.
void check_heads_of_context(const TrainingWorkload& workload, const ModelShape& model) {
    const Parallelism& cut = workload.parallelism;
    const double ranks = static_cast<double>(cut.tensor) * cut.context;
    if (workload.context_by == ContextBy::ulysses && cut.context > 1 && std::fmod(model.heads, ranks) != 0) {
        refuse(
            "parallelism.context",
            "tensor x context = {:.0f} ranks by ulysses do not share out {:.0f} heads (accepted: a divisor of them, or "
            "context_by: ring)",
            ranks, model.heads);
    }
}

void check_attention(const TrainingWorkload& workload) {
    const bool fused =
        workload.attention != AttentionKernel::automatic && workload.attention != AttentionKernel::unfused;
    if (fused && !fuses_attention(workload.precision)) {
        refuse(
            "attention",
            "{} takes 16-bit queries and keys, and the step's are in {} (accepted: unfused, or auto, which is unfused "
            "there)",
            to_string(workload.attention), to_string(workload.precision));
    }
}

void check_model(const Parallelism& cut, const ModelShape& model) {
    const auto divides = [](double whole, std::uint32_t part) { return std::fmod(whole, part) == 0; };
    if (model.convolutional()) {
        if (cut.tensor * cut.context * cut.pipeline * cut.expert != 1) {
            refuse("parallelism", "a convolutional network is only cut over data ranks");
        }
        return;
    }
    if (std::fmod(model.head_size, 1) != 0) {
        refuse(
            "dimensions.heads",
            "{:.0f} heads do not divide the hidden size of {:.0f} (accepted: a divisor of it, or head_size beside it)",
            model.heads, model.hidden);
    }
    if (model.kv_heads > model.heads || std::fmod(model.heads, model.kv_heads) != 0) {
        refuse("dimensions.kv_heads", "{:.0f} heads of keys and values do not divide the model's {:.0f} heads",
               model.kv_heads, model.heads);
    }
    if (!divides(model.heads, cut.tensor)) {
        refuse("parallelism.tensor", "tensor = {} does not divide the model's {:.0f} heads", cut.tensor, model.heads);
    }
    if (const auto pieces = static_cast<double>(cut.pipeline) * cut.chunks;
        pieces > model.layers && !(cut.chunks > 1 && pieces == model.layers + 2)) {
        refuse("parallelism.pipeline", "pipeline x chunks = {} pieces are more than the model's {:.0f} layers",
               std::uint64_t{cut.pipeline} * cut.chunks, model.layers);
    }
    if (cut.chunks > 1 && cut.pipeline == 1) {
        refuse("parallelism.chunks", "chunks interleave a pipeline; there is none with pipeline = 1");
    }
    if (cut.expert > 1 && (model.experts == 0 || !divides(model.experts, cut.expert))) {
        refuse("parallelism.expert", "expert = {} does not divide the model's {:.0f} experts", cut.expert,
               model.experts);
    }
}

// Sets the global batch and the micro-batches of each data rank.
void set_batches(const TrainingWorkload& workload, Layout& out) {
    const std::uint64_t at_once = std::uint64_t{workload.micro_batch} * out.d;
    if (at_once > std::numeric_limits<std::uint32_t>::max()) {
        refuse("micro_batch", "micro_batch x data = {} is not a batch that can be counted", at_once);
    }
    out.global_batch = workload.global_batch > 0 ? workload.global_batch : static_cast<std::uint32_t>(at_once);
    if (out.global_batch % at_once != 0) {
        refuse("global_batch", "a batch of {} is not a multiple of micro_batch x data = {}", out.global_batch, at_once);
    }
    out.micro_batches = static_cast<std::uint32_t>(out.global_batch / at_once);
    // Each piece of a micro-batch makes operations that stay in memory until the step ends: 1.7 kB, measured on
    // Llama-2-7B, so that this limit means 0.7 GB and 6 s. The limit itself is our choice.
    constexpr std::uint64_t most_pieces = 400'000;
    const std::uint64_t pieces = std::uint64_t{out.p} * out.v;
    if (out.micro_batches * pieces > most_pieces) {
        refuse(
            "global_batch",
            "a batch of {} is {} micro-batches a data rank, each in {} pieces: more than a replay holds (accepted: up "
            "to {})",
            out.global_batch, out.micro_batches, pieces, std::max<std::uint64_t>(1, most_pieces / pieces) * at_once);
    }
    if (out.v > 1 && out.micro_batches % out.p != 0) {
        refuse("global_batch",
               "{} micro-batches a data rank are not a multiple of the {} stages, as an interleaved pipeline needs",
               out.micro_batches, out.p);
    }
}

}  // namespace

Layout make_layout(const TrainingWorkload& workload, const ModelShape& model, std::uint32_t gpus,
                   std::uint32_t gpus_per_node) {
    const Parallelism& cut = workload.parallelism;
    check_model(cut, model);
    check_experts(workload, model);
    check_experts_per_token(workload, model);
    check_skew(workload, model);
    check_heads_of_context(workload, model);
    check_attention(workload);
    Layout out{.t = cut.tensor, .c = cut.context, .e = cut.expert, .p = cut.pipeline, .v = cut.chunks};
    out.gpus_per_node = gpus_per_node;
    out.d = data_ranks(cut, gpus);
    if (out.p > 1) { out.order = workload.order; }
    out.x = cut.expert_tensor > 0 ? cut.expert_tensor : out.t;
    if (out.stage_ranks() % (out.e * out.x) != 0) {
        refuse("parallelism.expert",
               "expert = {} with {} ranks an expert does not divide the stage's {} GPUs over which experts are spread",
               out.e, out.x, out.stage_ranks());
    }
    set_batches(workload, out);
    out.sequence = model.convolutional() ? 1 : model.sequence;
    out.tokens = workload.imbalance * workload.micro_batch * out.sequence / out.c;
    if (out.order >= PipelineOrder::zero_bubble && (out.v > 1 || workload.sharding >= Sharding::zero_2)) {
        refuse("order",
               "a {} pipeline has one chunk a stage, and whole parameters and gradients there (accepted: chunks: 1 "
               "with ddp or zero-1)",
               to_string(out.order));
    }
    if (out.order == PipelineOrder::dual_pipe) {
        if (out.p % 2 != 0 || out.micro_batches % 2 != 0 || out.micro_batches < 2 * out.p) {
            refuse("order",
                   "{} stages and {} micro-batches a data rank make no dual-pipe (accepted: even numbers, at least two "
                   "micro-batches a stage)",
                   out.p, out.micro_batches);
        }
        out.dual = true;
        out.v = 2;
    }
    if (workload.deferred_embedding && (out.order >= PipelineOrder::zero_bubble || out.p == 1 ||
                                        workload.sharding >= Sharding::zero_2 || model.convolutional())) {
        refuse("deferred_embedding",
               "gradients of the output matrix fill the end of a pipeline's last stage (accepted: more than one stage, "
               "1f1b or gpipe, with ddp or zero-1)");
    }
    if (workload.deferred_embedding_limit > 0 && !workload.deferred_embedding) {
        refuse("deferred_embedding_limit", "it says how much deferred_embedding puts off, which is not asked for");
    }
    if (workload.deferred_embedding) {
        const std::uint32_t limit = workload.deferred_embedding_limit;
        out.deferred = limit > 0 ? std::min(limit, out.micro_batches) : out.micro_batches;
    }
    if (workload.offload.activations > 0 && model.convolutional()) {
        refuse("offload.activations", "activations go to the host layer by layer of a transformer (accepted: 0)");
    }
    const std::uint32_t a_node = std::max(1U, std::min(out.replicas(), gpus_per_node / out.t));
    const bool copied = workload.sharding == Sharding::hsdp;
    out.shard = cut.shard > 0 ? cut.shard : copied ? a_node : out.replicas();
    if (out.replicas() % out.shard != 0) {
        refuse("parallelism.shard", "shard = {} does not divide the {} ranks that hold the same parameters", out.shard,
               out.replicas());
    }
    return out;
}

std::vector<std::string> idle_keys(const TrainingWorkload& workload) {
    const Parallelism& cut = workload.parallelism;
    std::vector<std::string> notes;
    const auto note = [&](bool idle, std::string_view key, std::string_view why) {
        if (idle) { notes.push_back(fmt::format("`workload.{}` changes nothing: {}", key, why)); }
    };
    note(workload.overlap.tensor && cut.tensor == 1, "overlap.tensor", "with tensor = 1 there is no such traffic");
    note(workload.context_by != ContextBy::ring && cut.context == 1, "context_by",
         "with context = 1 each rank has whole sequences");
    note(workload.gather_bucket.count > 0 && workload.sharding < Sharding::zero_2, "gather_bucket",
         "ddp gathers nothing, and zero-1 by the buckets of gradients");
    note(workload.skew > 0 && cut.expert == 1, "skew", "with expert = 1 each rank has all experts");
    note(workload.order != PipelineOrder::one_f_one_b && cut.pipeline == 1, "order", "one stage has no other order");
    note(cut.shard > 0 && workload.sharding == Sharding::ddp, "parallelism.shard", "ddp shares out nothing");
    return notes;
}

Layers Layout::layers_of(const ModelShape& model, std::uint32_t stage, std::uint32_t chunk) const {
    const double pieces = this->pieces(), place = this->place(stage, chunk);
    const bool uneven =
        v > 1 && !dual && std::fmod(model.layers, pieces) != 0 && std::fmod(model.layers + 2, pieces) == 0;
    // Embedding in front, norm and head behind: a piece of them alone would have no layer.
    const bool counted = std::floor((model.layers + model.counted_ends) / pieces) >= std::max(1.0, model.counted_ends);
    const double ends = model.counted_ends > 0 && counted ? model.counted_ends : uneven ? 2 : 0;
    const double end = ends > 0 ? 1 : 0;
    const double each = std::floor((model.layers + ends) / pieces);
    const double more = model.layers + ends - each * pieces;
    const double share = (model.layers + model.counted_head) / pieces;
    const bool by_weights = model.counted_head > 0 && std::floor((pieces - 1) * share) + 1 < model.layers;
    const auto before = [&](double piece) {  // layers in front of the piece
        if (by_weights && piece > 0) { return std::min(std::floor(piece * share) + 1, model.layers); }
        return std::clamp(piece * each + std::min(piece, more) - end, 0.0, model.layers);
    };
    return {before(place), before(place + 1) - before(place)};
}

std::vector<LinkEvent> at_representatives(const std::vector<LinkEvent>& events, const Layout& layout,
                                          const Fabric& fabric) {
    std::vector<LinkEvent> result;
    std::vector<LinkEvent> slow;
    for (const LinkEvent& event : events) { (event.of_device() ? slow : result).push_back(event); }
    std::ranges::stable_sort(slow, {}, &LinkEvent::at);
    std::map<std::uint32_t, std::map<DeviceId, double>> shares;  // by stage: the slow GPUs so far
    for (LinkEvent& event : slow) {
        const std::uint32_t rank =
            fabric.node_of(event.device) * fabric.gpus_per_node() + fabric.local_index(event.device);
        const std::uint32_t stage = rank / layout.stage_ranks();
        std::map<DeviceId, double>& of_stage = shares[stage];
        of_stage[event.device] = event.share;
        event.share = std::ranges::min_element(of_stage, {}, [](const auto& one) { return one.second; })->second;
        event.device = fabric.gpu(layout.device_rank(stage));
        result.push_back(event);
    }
    return result;
}

}  // namespace fabricast::inline training
