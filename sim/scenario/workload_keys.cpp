#include "sim/scenario/workload_keys.hpp"

#include <optional>

#include "base/text.hpp"
#include "sim/plan/traces/import.hpp"
#include "sim/scenario/rows.hpp"
#include "sim/scenario/sizes.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

constexpr double most_ranks = 1 << 24;

// Keys that only one kind of workload has.
template <class Kind> std::vector<Key> keys_of_kind(std::string_view kind, Rows<Kind> rows) {
    const auto part = [](auto& scenario) -> auto& { return std::get<Kind>(scenario.workload); };
    std::vector<Key> keys = keys_below("workload.", part, std::move(rows));
    for (Key& key : keys) { key.of_kind = kind; }
    return keys;
}

Key kind_key() {
    Key key{{"workload.kind", Form::word, "What the cluster runs."}};
    key.words = workload_kinds();
    key.read = [](const Node& node, Scenario& s) {
        if (const std::size_t kind = node.as_enum(workload_kinds()); kind != s.workload.index()) {
            s.workload = workload_of_kind(kind);
        }
    };
    key.write = [](const Scenario& s) { return Json(kind_of(s.workload)); };
    return required(std::move(key));
}

Key sizes_key() {
    Key key{{"workload.sizes", Form::sizes,
             "Message sizes; of a collective as nccl-tests counts them: the larger buffer of a rank."}};
    key.read = [](const Node& node, Scenario& s) { *sizes_of(s.workload) = read_sizes(node); };
    key.write = [](const Scenario& s) {
        Json list = Json::array();
        for (const Bytes size : *sizes_of(s.workload)) { list.push_back(text(size)); }
        return list;
    };
    key.when_absent = "`{from: 8 B, to: 8 GiB, factor: 2}`";
    key.of_kind = "collective transfer";
    return key;
}

std::vector<Key> collective_keys() {
    using C = CollectiveWorkload;
    return together(
        {keys_of_kind<C>("collective", {word_key("collective", &C::collective, Collective::scatter, "The operation."),
                                        word_key("algorithm", &C::algorithm, Algorithm::msccl_all_pairs,
                                                 "`auto`: what NCCL of the stated version picks."),
                                        word_key("protocol", &C::protocol, Protocol::simple,
                                                 "`auto`: what NCCL of the stated version picks.")}),
         {sizes_key()},
         keys_of_kind<C>(
             "collective",
             {word_key("dtype", &C::dtype, DataType::float8, "Type of an element."),
              flag_key("in_place", &C::in_place, "The output buffer is the input buffer; spares copy engines a copy."),
              whole_key("root", &C::root, 0, 4294967295.0,
                        "Rank at the root of broadcast, reduce, gather and scatter."),
              whole_key("channels", &C::channels, 1, 64, "`msccl-ring`: channels that share out the ranks' pieces."),
              whole_key(
                  "instances", &C::instances, 1, 64,
                  "`msccl-ring`, `msccl-all-pairs`: copies of the program, each with its part of every piece.")})});
}

KeyOf<ModelDimensions> gated_key() {
    const auto read = [](const Node& node, std::optional<bool>& to) { to = node.as_bool(); };
    const auto write = [](const std::optional<bool>& gated) { return Json(*gated); };
    return field_key("gated", Form::flag, &ModelDimensions::gated, "Its first product is two (SwiGLU).",
                     "the model's, or `false`", read, write);
}

Rows<TrainingWorkload> dimension_keys() {
    using D = ModelDimensions;
    const std::string model = "the model's";
    return map_keys<TrainingWorkload>(
        "dimensions", &TrainingWorkload::dimensions,
        "The model's shape where it differs from the library's, or all of a new one's.",
        {
            whole_key("layers", &D::layers, 1, 1e5, "Transformer layers.", model),
            whole_key("hidden", &D::hidden, 1, 1e6, "Width of a token's vector.", model),
            whole_key("heads", &D::heads, 1, 1e5, "Attention heads.", model),
            whole_key("kv_heads", &D::kv_heads, 1, 1e5, "Heads of keys and values.", model + ", or `heads`"),
            whole_key("head_size", &D::head_size, 1, 1e5, "Width of one head.", model + ", or `hidden / heads`"),
            whole_key("ffn", &D::ffn, 1, 1e7, "Width of the feed-forward part.", model + ", or `4 hidden`"),
            gated_key(),
            whole_key("vocabulary", &D::vocabulary, 1, 1e8, "Tokens it knows.", model),
            whole_key("experts", &D::experts, 1, 1e5, "Experts of a layer.", model),
            whole_key("experts_per_token", &D::experts_per_token, 1, 1e4, "Experts a token visits.", model),
            whole_key("expert_ffn", &D::expert_ffn, 1, 1e7, "Width of one expert.", model),
        });
}

Rows<TrainingWorkload> parallelism_keys() {
    using P = Parallelism;
    return map_keys<TrainingWorkload>(
        "parallelism", &TrainingWorkload::parallelism, "How the model and the batch are cut over the GPUs.",
        {
            whole_key("tensor", &P::tensor, 1, 65536, "GPUs that share every layer."),
            flag_key("sequence", &P::sequence, "They also share norms and dropout, by tokens."),
            whole_key("context", &P::context, 1, 65536, "GPUs that share every sequence."),
            whole_key("expert", &P::expert, 1, 65536, "GPUs over which the experts of a layer are spread."),
            whole_key("expert_tensor", &P::expert_tensor, 1, 65536, "GPUs that share each expert.", "`tensor`"),
            whole_key("pipeline", &P::pipeline, 1, 65536, "Stages of layers."),
            whole_key("chunks", &P::chunks, 1, 4096,
                      "Pieces of the model on each stage; above 1 the pipeline is interleaved."),
            whole_key("data", &P::data, 1, most_ranks, "Copies that share the batch.", "what the GPUs allow"),
            whole_key("shard", &P::shard, 1, most_ranks, "Ranks that share out optimizer states and parameters.",
                      "all that hold copies; hsdp: a node's"),
        });
}

Rows<TrainingWorkload> step_keys() {
    using W = TrainingWorkload;
    return together<W>(
        {{
             required(text_key(
                 "model", &W::model,
                 "Model of the library (`fabricast catalog list` shows them), or a name of yours with `dimensions`.")),
             whole_key("sequence_length", &W::sequence_length, 1, 1e8, "Tokens of a sequence.", "the model's"),
             whole_key("global_batch", &W::global_batch, 1, 1e9, "Sequences or images a step.",
                       "one micro-batch a data rank"),
             whole_key("micro_batch", &W::micro_batch, 1, 1e6, "Of them at once on one data rank."),
             word_key("order", &W::order, PipelineOrder::dual_pipe,
                      "Of forward and backward in the pipeline; zero-bubble: gradients of weights fill its bubbles "
                      "(ZB-H1); dual-pipe: so they do, and half of the micro-batches enter at each end."),
             word_key("sharding", &W::sharding, Sharding::hsdp,
                      "What data-parallel ranks share out: nothing, optimizer states, gradients too, parameters too; "
                      "hsdp: parameters inside a group."),
             size_key("bucket", &W::bucket,
                      "Gradients reduced at once; `0 B`: the framework's. A stage has at most twelve buckets, of a "
                      "layer or more. Zero-2, zero-3 and hsdp: a layer's gradients scattered at once; `0 B`: all."),
             size_key("gather_bucket", &W::gather_bucket,
                      "A layer's parameters gathered at once by zero-2, zero-3 and hsdp; `0 B`: all."),
             whole_key("gradient_bytes", &W::gradient_bytes, 1, 8, "Of one gradient on the wire.",
                       "4, with zero-3 and hsdp 2 (fp32, tf32: 4)"),
         },
         map_keys<W>("overlap", &W::overlap, "Which communication runs beside computation.",
                     {
                         flag_key("gradients", &Overlap::gradients, "Reducing gradients, beside the backward pass."),
                         flag_key("parameters", &Overlap::parameters, "Gathering parameters, beside the forward pass."),
                         flag_key("tensor", &Overlap::tensor, "Tensor-parallel traffic, beside its matrix products."),
                         flag_key("experts", &Overlap::experts,
                                  "Tokens on their way to experts and back, beside another micro-batch's layers."),
                     }),
         map_keys<W>("offload", &W::offload, "What host memory holds in place of the GPU's.",
                     {
                         flag_key("optimizer", &Offload::optimizer,
                                  "The optimizer's states; CPUs take its step (ZeRO-Offload, FSDP's CPUOffload)."),
                         number_key("activations", &Offload::activations, 0, 1,
                                    "This share of the activations that the backward pass needs."),
                     }),
         {
             flag_key("deferred_embedding", &W::deferred_embedding,
                      "Gradients of the output matrix wait until the last stage has nothing else to do (Megatron's "
                      "defer_embedding_wgrad_compute)."),
             whole_key("deferred_embedding_limit", &W::deferred_embedding_limit, 0, 1e6,
                       "Of how many micro-batches of a step, the first; 0: of all (Megatron's wgrad_deferral_limit)."),
             word_key(
                 "recompute", &W::recompute, Recompute::full,
                 "Activations computed again in the backward pass: none, attention only, every second layer, all."),
             word_key("precision", &W::precision, Precision::fp32, "Of the matrix products."),
             word_key("attention", &W::attention, AttentionKernel::unfused,
                      "Attention kernel; `auto`: the GPU's usual one, in fp32 and tf32 `unfused`."),
             word_key("optimizer", &W::optimizer, OptimizerKind::sgd, "The optimizer."),
             word_key("context_by", &W::context_by, ContextBy::ulysses,
                      "How context ranks attend: keys and values go round a ring, are gathered, or all-to-alls bring "
                      "the whole sequence of a share of the heads."),
             word_key("dispatch", &W::dispatch, Dispatch::once,
                      "Tokens to experts: a copy for each expert (NCCL), or one to each node or rank that has any of "
                      "them (DeepEP, HybridEP)."),
             flag_key("narrow_dispatch", &W::narrow_dispatch,
                      "They go there in 8 bits, one scale for 128 elements, and come back in 16."),
             flag_key("balanced_routing", &W::balanced_routing,
                      "Experts get as many tokens each, as benchmarks force."),
             number_key("skew", &W::skew, 0, 1024,
                        "Tokens of the busiest rank of experts over the mean; 0: as `balanced_routing` says, or the "
                        "framework's own."),
             whole_key("next_tokens", &W::next_tokens, 1, 16,
                       "More tokens predicted at each place, each by a layer and a head.", "none"),
             whole_key("adapters", &W::adapters, 1, 65536,
                       "Rank of LoRA adapters beside attention's products; the model itself is frozen.", "none"),
             whole_key(
                 "document", &W::document, 1, 1e8,
                 "Mean tokens of a document, where several are packed into a sequence and attention stays inside each.",
                 "the sequence"),
             number_key("imbalance", &W::imbalance, 1, 64,
                        "Tokens of the fullest data rank over the mean: samples of different lengths."),
             text_key("framework", &W::framework, "Training framework, a catalogue part."),
             flag_key("compiled", &W::compiled, "Element-wise kernels are fused; `false`: eager."),
             flag_key("fused_loss", &W::fused_loss,
                      "One kernel computes the loss of logits; `false`: one for each operation, in fp32."),
             flag_key("graphs", &W::graphs, "CUDA graphs launch the layers."),
             flag_key("check_memory", &W::check_memory, "Refuse what does not fit the GPUs."),
         }});
}

std::vector<Key> training_keys() {
    return keys_of_kind("training", together<TrainingWorkload>({step_keys(), dimension_keys(), parallelism_keys()}));
}

std::vector<std::string> format_words() {
    std::vector<std::string> words = names_of(trace_formats(), &TraceFormat::name);
    words.insert(words.begin(), "auto");
    return words;
}

std::vector<Key> trace_keys() {
    using W = TraceWorkload;
    return keys_of_kind<W>(
        "trace",
        {
            required(text_key("file", &W::file,
                              "The recording: a file, a folder with one a rank, or a name with `*`, as `trace.*.et`.",
                              "", path_of)),
            choice_key("format", &W::format, format_words(), "What wrote it.", ""),
            text_key("recorded_on", &W::recorded_on, "Catalogue GPU that it was recorded on.", "what the trace says"),
            whole_key("ranks", &W::ranks, 1, most_ranks, "Ranks of the job.", "what the trace says"),
            size_key("size", &W::size, "Of the call that an MSCCL algorithm makes, as nccl-tests counts it.",
                     "the largest that the file is for"),
        });
}

Rows<HostConditions> host_rows() {
    using H = HostConditions;
    return {
        flag_key("acs", &H::acs, "PCIe access control redirects peer traffic to the root."),
        flag_key("iommu", &H::iommu, "DMA addresses are translated."),
        flag_key("ats", &H::ats, "Devices keep translations, so that PCIe switches pass peer traffic in spite of ACS."),
        flag_key("virtualised", &H::virtualised, "GPUs are passed through to a guest."),
        flag_key("p2p_clique", &H::p2p_clique, "The hypervisor tells the guest which GPUs are peers."),
        flag_key("relaxed_ordering", &H::relaxed_ordering, "PCIe writes of an adapter may pass each other."),
        flag_key("peer_memory", &H::peer_memory, "nvidia_peermem or dma-buf: adapters may register GPU memory."),
        flag_key("rdma", &H::rdma, "The verbs stack is there; without it, the kernel's."),
        flag_key("pinned", &H::pinned, "User buffers in host memory are page-locked."),
        flag_key("huge_pages", &H::huge_pages, "Buffers stand on pages of 2 MiB."),
        flag_key("registration_cache", &H::registration_cache, "A buffer is registered once, not with each message."),
        flag_key("offloads", &H::offloads, "TSO and GRO of the kernel's stack."),
        within(size_key("locked_memory", &H::locked_memory, "`ulimit -l`.", "unlimited"), Bytes{1},
               Bytes{std::int64_t{1} << 60}),
        within(size_key("mtu", &H::mtu, "Of IP, or of an RDMA path.", "the link's; 1500 B for the kernel's stack"),
               Bytes{256}, Bytes{9000}),
        within(size_key("mss", &H::mss, "Payload of a TCP segment on the wire, at most; no more than the MTU leaves.",
                        "what the MTU leaves"),
               Bytes{48}, Bytes{8960}),
        time_key("interrupt_delay", &H::interrupt_delay,
                 "How long an adapter holds a packet's interrupt back (ethtool rx-usecs); kernel stacks pay it.", "0"),
        whole_key("qps", &H::qps, 1, 1024, "Queue pairs or sockets of one transfer."),
        whole_key("cores", &H::cores, 1, 512, "Cores that the kernel's stack may use at either end."),
        word_key("numa", &H::numa, NumaPlace::far,
                 "Whose memory staging takes: the socket's beside the GPU or the farthest."),
        word_key("nic", &H::nic, NumaPlace::far,
                 "Which adapter either end takes: that beside it, or the farthest (of the wrong socket)."),
    };
}

std::vector<Key> transfer_keys() {
    using W = TransferWorkload;
    return keys_of_kind(
        "transfer",
        together<W>(
            {{
                 required(text_key("from", &W::from, "Who sends: `node0.gpu0`, `node0.memory1`.")),
                 required(text_key("to", &W::to, "Who receives.")),
                 text_key("transport", &W::transport,
                          "`auto`: the best that hardware and conditions allow; else a part of kind `data-path`."),
                 text_key("messaging", &W::messaging, "Software that issues the messages: a part of kind `messaging`.",
                          "the transport's usual one"),
                 word_key("direction", &W::direction, Direction::both_ways,
                          "The bandwidth of one direction, or of both at once."),
                 word_key("operation", &W::operation, TransferOperation::read,
                          "What the initiator does with the other's memory."),
                 texts_key("concurrent", &W::concurrent,
                           "Other pairs that do the same at the same time, as `node0.gpu1 -> node0.memory0`."),
                 whole_key("window", &W::window, 1, 4096,
                           "Messages in flight for the bandwidth; fewer, two at least, where their pieces would be "
                           "more than 20,000.",
                           "as the messaging's own benchmark does"),
             },
             map_keys<W>("host", &W::host, "How the machines are set up.", host_rows())}));
}

}  // namespace

std::vector<Key> workload_keys() {
    return together({{required(map_key<Scenario>("workload", "What it runs.")), kind_key()},
                     collective_keys(),
                     training_keys(),
                     trace_keys(),
                     transfer_keys()});
}

}  // namespace fabricast::inline scenario
