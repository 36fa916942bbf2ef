// What else people train than a whole model of full sequences: adapters, packed documents, ranks of unequal batches;
// pipelines without bubbles.
#include "models/device_part.hpp"
#include "sim/plan/training/layer_costs.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

StepRow row(const std::vector<std::string>& set = {}) {
    return simulate(parse_scenario(small, "small.yaml", set), catalogue()).steps.at(0);
}

// Four equal stages of four layers, nothing else: few words, so that head and embedding weigh nothing.
const std::vector<std::string> even = {
    "workload.dimensions.vocabulary=64", "workload.dimensions.layers=16", "workload.parallelism.pipeline=4",
    "workload.parallelism.tensor=1",     "workload.sharding=ddp",         "workload.overlap.gradients=false",
    "workload.global_batch=64",          "workload.check_memory=false"};

std::vector<std::string> with(std::vector<std::string> list, const std::string& one) {
    list.push_back(one);
    return list;
}

}  // namespace

TEST_CASE("gradients of weights that wait fill the bubble: (p - 1)(f + b - 2w) is left of (p - 1)(f + b)") {
    // Products' backward is half gradients of weights; attention and small kernels have none, so less than two thirds
    // of the bubble can go.
    const StepRow plain = row(even), filled = row(with(even, "workload.order=zero-bubble"));
    CHECK(filled.compute_s == Approx(plain.compute_s).epsilon(1e-3));
    CHECK(filled.bubble_s < 0.6 * plain.bubble_s);
    CHECK(filled.bubble_s > 0.2 * plain.bubble_s);
    CHECK(filled.step_time_s < plain.step_time_s);
    CHECK_THROWS_WITH(row({"workload.order=zero-bubble", "workload.parallelism.chunks=2"}),
                      ContainsSubstring("one chunk a stage"));
}

TEST_CASE("frozen weights have no gradients: less to compute, to reduce and to hold") {
    const StepRow whole = row(), adapted = row({"workload.adapters=16"});
    CHECK(adapted.compute_s < 0.85 * whole.compute_s);
    CHECK(adapted.compute_s > 0.6 * whole.compute_s);
    CHECK(adapted.gradient_bytes < 0.05 * whole.gradient_bytes);
    CHECK(adapted.optimizer_bytes < 0.05 * whole.optimizer_bytes);
    CHECK(adapted.parameter_bytes == whole.parameter_bytes);
    CHECK(adapted.exposed_data_s <= whole.exposed_data_s);
}

TEST_CASE("attention stays inside the documents of a packed sequence") {
    const StepRow one = row(), packed = row({"workload.document=256"});
    CHECK(packed.attention_s < 0.55 * one.attention_s);  // a half, and each kernel's launch
    CHECK(packed.products_s == Approx(one.products_s).epsilon(0.02));
    CHECK(packed.tokens_per_s > one.tokens_per_s);
}

TEST_CASE("the fullest rank sets the pace, and what it has more than the others counts for nobody") {
    const StepRow equal = row(), unequal = row({"workload.imbalance=1.25"});
    CHECK(unequal.compute_s > 1.2 * equal.compute_s);
    CHECK(unequal.step_time_s > 1.1 * equal.step_time_s);
    CHECK(unequal.step_time_s < 1.3 * equal.step_time_s);
    CHECK(unequal.tokens_per_s * unequal.step_time_s == Approx(equal.tokens_per_s * equal.step_time_s));
}

TEST_CASE("what is computed splits into products, attention, small kernels and logits") {
    const StepRow r = row();
    CHECK(r.products_s + r.attention_s + r.small_kernels_s + r.logits_s == Approx(r.compute_s));
    CHECK(r.products_s > r.attention_s);
    CHECK(row({"workload.dimensions.vocabulary=128000"}).logits_s > 3 * r.logits_s);
}

TEST_CASE("a bubble is the order's, imbalance and waits for others' communication") {
    // More words cost the second of two stages alone: the first waits for all of it, their mean is half.
    const StepRow few = row(), many = row({"workload.dimensions.vocabulary=128000"});
    CHECK(many.bubble_imbalance_s - few.bubble_imbalance_s == Approx(many.logits_s - few.logits_s).epsilon(0.1));
    CHECK(few.bubble_imbalance_s + few.bubble_waits_s < few.bubble_s);
    const StepRow equal = row(even);
    CHECK(equal.bubble_imbalance_s + equal.bubble_waits_s < 0.2 * equal.bubble_s);
    CHECK(row({"workload.parallelism.pipeline=1"}).bubble_imbalance_s == 0);
}

namespace {

ComputeCosts costs_on(const char* gpu, Precision precision = Precision::bf16) {
    TrainingWorkload workload;
    workload.precision = precision;
    return {catalogue(), gpu_spec(catalogue().at("gpu", gpu)), workload, 1};
}

}  // namespace

TEST_CASE("a product too small for the GPU's SMs takes smaller tiles") {
    // One tile of 128 x 256 is eight of 64 x 64, each an eighth of the work and a quarter more for its edges.
    const ComputeCosts costs = costs_on("h100-sxm");
    const double one = costs.product({128, 256, 65536}).busy_s, full = costs.product({132 * 128, 256, 65536}).busy_s;
    CHECK(one < 0.25 * full);
    CHECK(one > 0.95 * full / 8);  // full writes 132 times as much beside it
}

TEST_CASE("a wave of tiles waits as long for its first operands whatever the GPU and its precision") {
    // Of one wave of 128 x 256, once with twice the elements of k: what does not double is the wait, launch and fixed,
    // and some of the result's bytes.
    const auto wait_us = [](const char* gpu, Precision precision, double rows, double columns) {
        const ComputeCosts costs = costs_on(gpu, precision);
        const auto busy = [&](double k) { return costs.product({rows * 128, columns * 256, k}).busy_s; };
        return 1e6 * (2 * busy(16384) - busy(32768) - costs.gpu("launch") - costs.gpu("gemm.fixed.wide"));
    };
    // The result's bytes are a third of a microsecond at the memory's full rate, whatever the wait.
    const double bytes = 0.31 / costs_on("h100-sxm").gpu("gemm.memory");
    const double start = 1e6 * catalogue().at("compute", "compute-any").number("tile.start");
    CHECK(wait_us("h100-sxm", Precision::bf16, 12, 11) == Approx(start).margin(bytes));
    CHECK(wait_us("h100-sxm", Precision::tf32, 12, 11) == Approx(start).margin(bytes));
    CHECK(wait_us("a100-sxm4-80", Precision::bf16, 12, 9) == Approx(start).margin(bytes));
    CHECK(wait_us("v100-sxm2", Precision::fp32, 10, 8) == Approx(start).margin(bytes));
}

TEST_CASE(
    "narrow heads cost attention the softmax of more scores: A100 none, Blackwell twice Hopper's, Ultra as Hopper") {
    const auto ratio = [](const char* gpu) {
        ModelShape wide, narrow;
        wide.heads = 32, wide.head_size = wide.value_head_size = 128;
        narrow.heads = 64, narrow.head_size = narrow.value_head_size = 64;
        const ComputeCosts costs = costs_on(gpu);
        return costs.attention(narrow, 8192, 8192, 1, false).busy_s /
               costs.attention(wide, 8192, 8192, 1, false).busy_s;
    };
    const auto slower = [](double softmax) { return Approx((1 + softmax / 64) / (1 + softmax / 128)).epsilon(0.02); };
    CHECK(ratio("h100-sxm") == slower(56));
    CHECK(ratio("gb200") == slower(112));
    CHECK(ratio("gb300") == slower(56));
    CHECK(ratio("b300") == slower(56));
    CHECK(ratio("a100-sxm4-80") == Approx(1));
}

TEST_CASE("activations of 32 bits take twice the bytes of 16") {
    const StepRow half = row({"workload.precision=bf16"}), full = row({"workload.precision=tf32"});
    CHECK(full.small_kernels_s > 1.4 * half.small_kernels_s);  // what launches cost stays
    CHECK(full.exposed_tensor_s == Approx(2 * half.exposed_tensor_s).epsilon(0.25));
}
