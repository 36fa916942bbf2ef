// Mixtures of experts as frameworks run them: who shares an expert, where a token goes, what overlaps, who launches.
#include <fmt/ranges.h>

#include <cmath>

#include "models/device_part.hpp"
#include "sim/plan/training/layer_costs.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// 4 layers of 2048 on 16 GPUs, tensor 2, so 8 data ranks; 64 experts of 1024, 8 a token.
constexpr const char* mixture = R"(name: mixture
cluster: {node: dgx-h100, nodes: 2}
workload:
  kind: training
  model: mine
  dimensions: {layers: 4, hidden: 2048, heads: 16, vocabulary: 32000, experts: 64, experts_per_token: 8, expert_ffn: 1024}
  sequence_length: 2048
  global_batch: 16
  parallelism: {tensor: 2, expert: 8}
)";

struct Run {
    std::vector<std::string> set;

    Scenario scenario() const { return parse_scenario(mixture, "test", set); }
    StepRow row() const { return simulate(scenario(), catalogue()).steps.at(0); }
    // Of one layer.
    Phases forward() const {
        const Scenario s = scenario();
        const auto& w = std::get<TrainingWorkload>(s.workload);
        const ModelShape model = model_shape(catalogue(), w);
        const Layout layout = make_layout(w, model, 16, 8);
        const ComputeCosts costs(catalogue(), gpu_spec(catalogue().at("gpu", "h100-sxm")), w, 1);
        return LayerCosts{costs, model, w, layout}.forward(true);
    }
    // Bytes of its calls of a kind.
    double forward_bytes(CommKind kind, bool of_expert = false) const {
        double bytes = 0;
        for (const Phase& phase : forward()) {
            for (const GroupCall& call : phase.calls) {
                if (call.kind == kind && call.of_expert == of_expert) { bytes += call.times * call.bytes; }
            }
        }
        return bytes;
    }
    double forward_traffic() const {
        double bytes = 0;
        for (const Phase& phase : forward()) { bytes += phase.work.streamed_bytes; }
        return bytes;
    }
};

}  // namespace

TEST_CASE("ranks that share an expert gather its tokens; a rank with whole experts gets its own share of them") {
    const double token_bytes = 2 * 2048.0 * 2048;  // of a micro-batch's activations
    CHECK(Run{}.forward_bytes(CommKind::tensor, true) == Approx(2 * 8 * token_bytes));
    CHECK(Run{{"workload.parallelism.expert_tensor=1"}}.forward_bytes(CommKind::tensor, true) == 0);
    CHECK(Run{}.forward_bytes(CommKind::expert) == Approx(2 * 8 * token_bytes / 2));
    CHECK(Run{{"workload.parallelism.expert_tensor=1"}}.row().step_time_s < Run{}.row().step_time_s);
}

TEST_CASE("a token that goes once to a node takes fewer bytes than a copy for each expert") {
    // 8 choices among the 2 nodes of the group meet 2 (1 - 1/2^8) of them.
    const double token_bytes = 2 * 2048.0 * 2048 / 2;
    const Run once{{"workload.dispatch=once"}};
    CHECK(once.forward_bytes(CommKind::expert) == Approx(2 * 2 * (1 - 1 / 256.0) * token_bytes));
    CHECK(once.row().step_time_s < Run{}.row().step_time_s);
    // Within a node the places are its ranks: 4 of them meet 4 (1 - (3/4)^8).
    const Run inside{{"workload.dispatch=once", "workload.parallelism.expert=4"}};
    CHECK(inside.forward_bytes(CommKind::expert) == Approx(2 * 4 * (1 - std::pow(0.75, 8)) * token_bytes));
}

TEST_CASE("tokens that go to experts in 8 bits and come back in 16 take 97/128 of the bytes") {
    CHECK(Run{{"workload.narrow_dispatch=true"}}.forward_bytes(CommKind::expert) ==
          Approx((1 + 4.0 / 128 + 2) / 4 * Run{}.forward_bytes(CommKind::expert)));
}

TEST_CASE("an all-to-all beside the layers' work costs no more than what does not fit beside it") {
    const StepRow alone = Run{}.row(), beside = Run{{"workload.overlap.experts=true"}}.row();
    CHECK(beside.step_time_s < alone.step_time_s);
    CHECK(beside.exposed_expert_s < alone.exposed_expert_s);
}

TEST_CASE("a host that launches slowly holds up the step, and CUDA graphs free it") {
    // Two micro-batches a data rank, 4 layers of several experts a rank, forward and backward.
    const Run nemo{{"workload.framework=nemo-25.04"}};
    const double each = catalogue().at("framework", "nemo-25.04").number("host.experts");
    CHECK(nemo.row().step_time_s >= 2 * 2 * 4 * each);
    CHECK(nemo.row().step_time_s < 2 * 2 * 4 * each + Run{}.row().step_time_s);
    const Run graphs{{"workload.framework=nemo-25.04", "workload.graphs=true"}};
    CHECK(graphs.row().step_time_s < 2 * Run{}.row().step_time_s);
    // A rank with one expert of each layer waits for no numbers.
    const Run alone{{"workload.framework=nemo-25.04", "workload.dimensions.experts=8"}};
    CHECK(alone.row().step_time_s < 2 * 2 * 4 * each);
}

TEST_CASE("context ranks send keys and values to all, or gather them, or exchange heads") {
    // 2 context ranks: blocks of 1,024 tokens, 8 of 16 heads of 128 on a tensor rank, in bf16.
    const auto bytes = [](const std::string& by, const std::string& ranks = "2") {
        return Run{{"workload.parallelism.context=" + ranks, "workload.context_by=" + by}}.forward_bytes(
            CommKind::context);
    };
    const double heads = 2.0 * 1024 * 8 * 128;
    CHECK(bytes("ring") == Approx(2 * heads));            // one turn of keys and values
    CHECK(bytes("all-gather") == Approx(2 * 2 * heads));  // both ranks' blocks
    CHECK(bytes("ulysses") == Approx(4 * heads));         // queries, keys, values and the result
    // Of 4 ranks each has blocks half as long: 3 turns, all 4 blocks, or its own.
    CHECK(bytes("ring", "4") == Approx(3 * 2 * heads / 2));
    CHECK(bytes("all-gather", "4") == Approx(4 * 2 * heads / 2));
    CHECK(bytes("ulysses", "4") == Approx(4 * heads / 2));
}

TEST_CASE("one more predicted token is one more layer and one more head") {
    TrainingWorkload w = std::get<TrainingWorkload>(Run{}.scenario().workload);
    const double before = parameters(model_shape(catalogue(), w));
    w.next_tokens = 1;
    const ModelShape model = model_shape(catalogue(), w);
    CHECK(parameters(model) == before + layer_parameters(model, true) + expert_parameters(model));
    CHECK(Run{{"workload.next_tokens=1"}}.row().step_time_s > 1.1 * Run{}.row().step_time_s);
}

TEST_CASE("126 layers in 64 pieces are 2 each, but 1 behind the embedding and 1 before the loss") {
    ModelShape model;
    model.layers = 126;
    const Layout layout{.p = 8, .v = 8};
    double sum = 0;
    for (std::uint32_t chunk = 0; chunk < 8; ++chunk) {
        for (std::uint32_t stage = 0; stage < 8; ++stage) {
            const Layers here = layout.layers_of(model, stage, chunk);
            const bool end = (chunk == 0 && stage == 0) || (chunk == 7 && stage == 7);
            CHECK(here.count == (end ? 1 : 2));
            CHECK(here.first == sum);
            sum += here.count;
        }
    }
    CHECK(sum == 126);
}

TEST_CASE("nanotron cuts a pipeline by weights, of which the output matrix has those of four layers") {
    const auto counts = [](std::uint32_t stages, double head) {
        ModelShape model;
        model.layers = 16;
        model.counted_head = head;
        const Layout layout{.p = stages};
        std::vector<double> out;
        for (std::uint32_t stage = 0; stage < stages; ++stage) {
            out.push_back(layout.layers_of(model, stage, 0).count);
        }
        return out;
    };
    TrainingWorkload w;  // Llama 3.2 1B with whole keys and values
    w.dimensions = {.layers = 16, .hidden = 2048, .heads = 32, .ffn = 8192, .vocabulary = 128256, .gated = true};
    CHECK(model_shape(catalogue(), w).counted_head == 0);
    w.framework = "nanotron";
    const double head = model_shape(catalogue(), w).counted_head;
    CHECK(head == Approx(128256 * 2048.0 / (4 * 2048.0 * 2048 + 3 * 2048.0 * 8192)));  // 3.91
    CHECK(counts(4, 0) == std::vector<double>{4, 4, 4, 4});
    CHECK(counts(4, head) == std::vector<double>{5, 5, 5, 1});  // more than 4.98, 9.95 and 14.93
    CHECK(counts(2, head) == std::vector<double>{10, 6});
    CHECK(counts(8, head) == counts(8, 0));  // the last stage would have none
}

TEST_CASE("overlapped tensor parallelism leaves the gathers and scatters of shared experts alone") {
    const Run overlapped{{"workload.overlap.tensor=true"}};
    CHECK(overlapped.forward_bytes(CommKind::tensor, true) == Approx(Run{}.forward_bytes(CommKind::tensor, true)));
    double beside = 0;
    for (const Phase& phase : overlapped.forward()) {
        for (const GroupCall& call : phase.calls) {
            if (call.of_expert) { CHECK(phase.work.busy_s == 0); }
            beside += call.of_expert || phase.work.busy_s == 0 ? 0 : call.times * call.bytes;
        }
    }
    CHECK(beside == Approx(overlapped.forward_bytes(CommKind::tensor) / 2));  // a piece of two is exposed
}

TEST_CASE("a rank of several experts copies what comes to it by expert, and back; one of a single expert does not") {
    const double share = catalogue().at("compute", "compute-h100").number("elementwise.memory");
    // 8 copies of 2,048 tokens of 2,048 elements, read and written, there and back.
    const Run once{{"workload.dispatch=once"}}, single{{"workload.dimensions.experts=8"}};
    CHECK(Run{}.forward_traffic() - once.forward_traffic() ==
          Approx(2 * 2 * 2 * 8 * 2048.0 * 2048 / share).epsilon(1e-9));
    CHECK(single.forward_traffic() == Approx(once.forward_traffic()).epsilon(1e-9));
}

TEST_CASE("no rank has fewer tokens than the mean or more than there are, and one that has all experts is no busier") {
    const auto refused = [](const std::vector<std::string>& set, const std::string& why = "accepted: 0, or 1 to ") {
        CHECK_THROWS_WITH((Run{set}.row()), ContainsSubstring(why));
    };
    refused({"workload.skew=0.5"});
    refused({"workload.skew=8.5"});
    refused(
        {"workload.dimensions.experts_per_token=16", "workload.skew=4.5"});  // a token visits a rank's 8 experts once
    refused({"workload.balanced_routing=true", "workload.skew=2"}, "skew = 2 beside balanced_routing: true");
    CHECK(Run{{"workload.skew=8"}}.row().step_time_s > Run{}.row().step_time_s);
    const std::string whole = "workload.parallelism.expert=1";
    CHECK(Run{{whole, "workload.skew=2"}}.row().step_time_s == Run{{whole}}.row().step_time_s);
    CHECK_THAT(
        fmt::format("{}", fmt::join(simulate(Run{{whole, "workload.skew=2"}}.scenario(), catalogue()).notes, " ")),
        ContainsSubstring("`workload.skew` changes nothing"));
}

TEST_CASE("the busiest rank of experts keeps its tokens' inputs and what its experts make of them") {
    const double more = Run{{"workload.skew=2"}}.row().memory_bytes() - Run{{"workload.skew=1"}}.row().memory_bytes();
    // 8 visits more of 2,048 tokens: 2 bytes of 2,048 elements, and 2 before and after the activation of 1,024 on 2
    // ranks.
    CHECK(more == Approx(4 * 8 * 2048.0 * (2 * 2048 + 4 * 1024 / 2.0)));
}

TEST_CASE("what cannot be of experts and heads is refused at its key") {
    CHECK_THROWS_WITH((Run{{"workload.dimensions.experts_per_token=65"}}.row()),
                      ContainsSubstring("a token cannot visit 65 of 64 experts (accepted: up to 64)"));
    CHECK_THROWS_WITH(
        (Run{{"workload.parallelism.context=4", "workload.parallelism.tensor=4", "workload.dimensions.heads=8",
              "workload.parallelism.expert=4", "workload.context_by=ulysses"}}
             .row()),
        ContainsSubstring("16 ranks by ulysses do not share out 8 heads"));
}

TEST_CASE("two overlaps together take no longer than either alone, with context ranks too") {
    const std::string tensor = "workload.overlap.tensor=true", experts = "workload.overlap.experts=true";
    for (const std::string context : {"context_by=ring", "parallelism.context=2", "parallelism.context=4"}) {
        const std::string cut = "workload." + context;
        const double both = Run{{cut, tensor, experts}}.row().step_time_s;
        CHECK(both <= Run{{cut, tensor}}.row().step_time_s);
        CHECK(both <= Run{{cut, experts}}.row().step_time_s);
    }
    for (const Phase& phase : Run{{tensor, experts}}.forward()) {
        for (const GroupCall& call : phase.calls) {
            if (call.kind == CommKind::expert) { CHECK(phase.work.busy_s > 0); }
        }
    }
}
