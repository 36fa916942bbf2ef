// Which attention kernel a step runs, and what it costs.

#include "models/device_part.hpp"
#include "sim/plan/training/layer_costs.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Seconds of attention's kernels in one layer, forward and backward.
double attention_of_layer(const std::vector<std::string>& set) {
    const Scenario s = parse_scenario(small, "small.yaml", set);
    const auto& w = std::get<TrainingWorkload>(s.workload);
    const Fabric fabric(build(s, catalogue()));
    const ModelShape model = model_shape(catalogue(), w);
    const Layout layout = make_layout(w, model, fabric.gpu_count(), fabric.gpus_per_node());
    const ComputeCosts costs(catalogue(), fabric.node().gpu, w, 1);
    const LayerCosts step{costs, model, w, layout};
    double seconds = 0;
    for (const Phases& phases : {step.forward(false), step.backward(false)}) {
        for (const Phase& phase : phases) {
            seconds += phase.work.kind_s.at(static_cast<std::size_t>(WorkKind::attention));
        }
    }
    return seconds / costs.framework("pace");
}

// Of an unfused forward pass on one of 2 tensor ranks: seconds of the two products, 2 T s h / t operations each, and of
// 4.5 passes over the scores of 16 heads.
struct Unfused {
    double products = 0, passes = 0;
};
Unfused unfused(const char* compute, const char* gpu, const std::string& precision, double peak, double width) {
    constexpr double hidden = 4096, attending = 2048;
    const Part& part = catalogue().at("compute", compute);
    const double rate = peak * part.number("gemm." + precision) * part.number("attention.unfused");
    const double memory = gpu_spec(catalogue().at("gpu", gpu)).memory_bandwidth * part.number("softmax.memory");
    return {2 * (2 * attending * attending * hidden / 2) / rate, 4.5 * width * 16 * attending * attending / memory};
}

}  // namespace

TEST_CASE("selective recomputation repeats an unfused attention, whether it is asked for or the GPU's usual one") {
    const auto seconds = [](const char* recompute, const char* attention) {
        return attention_of_layer({"cluster.node=dgx-v100", "workload.precision=fp16",
                                   std::string("workload.recompute=") + recompute,
                                   std::string("workload.attention=") + attention});
    };
    // Backward has twice the products and 1.3 times the passes; selective runs the forward pass once more.
    const Unfused once = unfused("compute-v100", "v100-sxm2", "fp16", 125e12, 2);
    CHECK(seconds("none", "auto") == Approx(3 * once.products + 2.3 * once.passes));
    CHECK(seconds("selective", "unfused") == Approx(4 * once.products + 3.3 * once.passes));
    CHECK(seconds("selective", "auto") == seconds("selective", "unfused"));
    // A fused kernel recomputes anyway.
    CHECK(attention_of_layer({"workload.recompute=selective"}) == attention_of_layer({}));
}

TEST_CASE("a step in 32 bits runs an unfused attention at its own precision's rate, and refuses a fused kernel") {
    const auto seconds = [](const char* precision, const char* attention) {
        return attention_of_layer(
            {std::string("workload.precision=") + precision, std::string("workload.attention=") + attention});
    };
    const Unfused tf32 = unfused("compute-h100", "h100-sxm", "tf32", 495e12, 4);
    const Unfused fp32 = unfused("compute-h100", "h100-sxm", "fp32", 67e12, 4);
    CHECK(seconds("tf32", "auto") == Approx(3 * tf32.products + 2.3 * tf32.passes));
    CHECK(seconds("fp32", "auto") == Approx(3 * fp32.products + 2.3 * fp32.passes));
    CHECK(seconds("fp32", "unfused") == seconds("fp32", "auto"));
    for (const char* kernel : {"cudnn", "flash-2", "triton"}) {
        CHECK_THROWS_WITH(seconds("fp32", kernel), ContainsSubstring("16-bit queries and keys"));
        CHECK_THROWS_WITH(seconds("tf32", kernel), ContainsSubstring("accepted: unfused, or auto"));
        CHECK(seconds("fp8", kernel) == seconds("bf16", kernel));
    }
}

TEST_CASE("no step in 32 bits uses more than the peak of its precision, however long its sequences") {
    for (const char* node : {"dgx-h100", "dgx-a100"}) {
        for (const char* precision : {"fp32", "tf32"}) {
            for (const char* tokens_of_sequence : {"2048", "65536", "1048576"}) {
                CAPTURE(node, precision, tokens_of_sequence);
                const Scenario s = parse_scenario(
                    small, "small.yaml",
                    {std::string("cluster.node=") + node, std::string("workload.precision=") + precision,
                     std::string("workload.sequence_length=") + tokens_of_sequence, "workload.check_memory=false"});
                const double mfu = simulate(s, catalogue()).steps.at(0).mfu;
                CHECK(mfu > 0.02);
                CHECK(mfu < 1);
            }
        }
    }
}
