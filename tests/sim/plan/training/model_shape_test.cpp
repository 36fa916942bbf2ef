#include "sim/plan/training/model_shape.hpp"

#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

double billions(const char* model) {
    TrainingWorkload workload;
    workload.model = model;
    return parameters(model_shape(catalogue(), workload)) * 1e-9;
}

}  // namespace

TEST_CASE("models of the library have the parameters that their papers print") {
    CHECK(billions("gpt3-175b") == Approx(174.62).margin(0.005));
    CHECK(billions("llama-2-7b") == Approx(6.738).margin(0.005));
    CHECK(billions("llama-2-70b") == Approx(68.98).margin(0.05));
    CHECK(billions("llama-3.1-8b") == Approx(8.03).margin(0.005));
    CHECK(billions("llama-3.1-70b") == Approx(70.55).margin(0.05));
    CHECK(billions("llama-3.1-405b") == Approx(405.85).margin(0.1));
    CHECK(billions("mixtral-8x7b") == Approx(46.70).margin(0.05));
    CHECK(billions("mixtral-8x22b") == Approx(140.6).margin(0.3));
    CHECK(billions("grok-1") == Approx(316).margin(4));
    CHECK(billions("deepseek-v3") == Approx(671).margin(1));
    CHECK(billions("nemotron-4-340b") == Approx(341).margin(1));
    CHECK(billions("qwen3-30b-a3b") == Approx(30.5).margin(0.1));
    CHECK(billions("qwen3-235b-a22b") == Approx(235).margin(0.5));
    CHECK(billions("gpt-oss-120b") == Approx(116.8).margin(0.5));
    CHECK(billions("llama-4-maverick") == Approx(400).margin(2));
    CHECK(billions("llama-4-scout") == Approx(107.8).margin(1));  // without its eyes
    CHECK(billions("nemotron-h-56b") == Approx(56.3).margin(0.5));
    CHECK(billions("nemotron-3-nano") == Approx(31.6).margin(0.5));
    CHECK(billions("nemotron-3-super") == Approx(120.6).margin(1));
    CHECK(billions("nemotron-3-ultra") == Approx(550).margin(5));
    CHECK(billions("bert-large") == Approx(0.336).margin(0.003));
    CHECK(billions("resnet-50") == Approx(0.02556).margin(0.0001));
    CHECK(billions("resnet-101") == Approx(0.04455).margin(0.0002));
    CHECK(billions("vgg-16") == Approx(0.13836).margin(0.0002));
    CHECK(billions("megatron-1t") == Approx(1008).margin(2));
}

TEST_CASE("a model of one's own is its dimensions: GPT's as the formula of Narayanan et al. 2021 has them") {
    TrainingWorkload workload;
    workload.model = "mine";
    workload.dimensions = {.layers = 10, .hidden = 1024, .heads = 16, .vocabulary = 50000};
    const ModelShape model = model_shape(catalogue(), workload);
    const double h = 1024;
    CHECK(layer_parameters(model, false) == 12 * h * h + 2 * h);  // no biases, two norms
    CHECK(parameters(model) == 10 * (12 * h * h + 2 * h) + 2 * 50000 * h + h);
    workload.dimensions.layers = 0;
    CHECK_THROWS_AS(model_shape(catalogue(), workload), CatalogError);
}

TEST_CASE("a feed-forward part is gated as the library's model has it, unless the workload says otherwise") {
    TrainingWorkload workload;
    workload.model = "llama-2-7b";
    const double gated = parameters(model_shape(catalogue(), workload));
    workload.dimensions.gated = true;
    CHECK(parameters(model_shape(catalogue(), workload)) == gated);
    workload.dimensions.gated = false;  // two products of 4096 x 11008 in each of 32 layers, not three
    CHECK(gated - parameters(model_shape(catalogue(), workload)) == 32.0 * 4096 * 11008);
}

TEST_CASE("a token costs 72 h^2 L (1 + s/6h) and the logits, forward and backward") {
    TrainingWorkload workload;
    workload.model = "gpt3-175b";
    const ModelShape model = model_shape(catalogue(), workload);
    const double h = 12288, layers = 96, s = 2048;
    // The library's layers have 13 h of biases and norms too.
    const double published = 72 * h * h * layers * (1 + s / (6 * h)) + 6 * 51200 * h;
    CHECK(model_flops(model, s) == Approx(published).epsilon(2e-4));
}

TEST_CASE("ResNet-50 takes 4.1 billion multiplications an image") {
    TrainingWorkload workload;
    workload.model = "resnet-50";
    CHECK(model_flops(model_shape(catalogue(), workload), 1) / 6 == Approx(4.1e9).epsilon(0.02));
}
