// Communication volumes against the published formulas, number by number.

#include "tests/sim/plan/training/volumes.hpp"

#include <cmath>
#include <filesystem>

#include "base/yaml.hpp"
#include "sim/plan/training/compute_costs.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path table =
    std::filesystem::path(FABRICAST_SOURCE_DIR) / "validate/measurements/training/gpt3-175b-comm-volumes.yaml";

struct Case {
    std::map<std::string, double> columns;
    double operator[](const char* name) const { return columns.at(name); }
    std::uint32_t whole(const char* name) const { return static_cast<std::uint32_t>(columns.at(name)); }
};

std::vector<Case> cases() {
    const yaml::Node root = yaml::read(table);
    std::vector<Case> list;
    for (const yaml::Node& row : root.required("rows").items()) {
        Case one;
        for (std::size_t i = 1; i < row.items().size(); ++i) {
            one.columns[root.required("columns").items()[i].text] = row.items()[i].as_double();
        }
        list.push_back(one);
    }
    return list;
}

CommVolumes volumes_of(const Case& c, std::uint32_t gradient_bytes) {
    TrainingWorkload w;
    w.model = "gpt3-175b";
    w.dimensions.vocabulary = c["params_b"] > 175 ? 131072 : 51200;
    w.sequence_length = c.whole("seq_len");
    w.global_batch = c.whole("gbs");
    w.micro_batch = c.whole("mbs");
    w.gradient_bytes = gradient_bytes;
    w.parallelism.tensor = c.whole("tp");
    w.parallelism.pipeline = c.whole("pp");
    w.parallelism.chunks = c.whole("vp");
    const ModelShape model = model_shape(catalogue(), w);
    const Layout layout = make_layout(w, model, c.whole("gpus"), 8);
    CHECK(layout.d == c.whole("dp"));
    CHECK(layout.micro_batches == c.whole("microbatches_per_replica"));
    GpuSpec gpu;
    gpu.name = "h100-sxm";
    gpu.bf16 = gpu.fp16 = 989e12;
    gpu.memory_bandwidth = 3.35e12;
    const ComputeCosts costs(catalogue(), gpu, w, 1);
    return volumes(model, w, layout, LayerCosts{costs, model, w, layout});
}

// Equal to the last digit that the table prints.
void check(double bytes, double unit, double digits, double printed) {
    CHECK(std::round(bytes / unit * digits) / digits == Approx(printed).epsilon(1e-12));
}

}  // namespace

TEST_CASE("communication volumes of GPT-3 are the published formulas' to the last digit printed") {
    const std::vector<Case> all = cases();
    REQUIRE(all.size() == 4);
    for (const Case& c : all) {
        const CommVolumes two = volumes_of(c, 2);
        const CommVolumes four = volumes_of(c, 4);
        check(two.activation_bytes, 1 << 20, 10, c["act_tensor_MiB"]);
        check(two.tensor_payload, 1e9, 100, c["tp_allreduce_payload_GB"]);
        check(two.tensor_sent, 1e9, 100, c["tp_ring_bytes_sent_GB"]);
        check(two.pipeline_sent, 1e9, 1000, c["pp_p2p_sent_GB"]);
        check(two.gradient_bytes, 1e9, 1000, c["grad_bytes_2B_GB"]);
        check(four.gradient_bytes, 1e9, 1000, c["grad_bytes_4B_GB"]);
        check(four.data_sent, 1e9, 1000, c["dp_ring_bytes_sent_fp32_GB"]);
    }
}
