// Which part of the catalogue a device is by what its maker calls it.

#include "discovery/site/device_parts.hpp"

#include <utility>

#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using fabricast::testing::catalogue;

TEST_CASE("GPUs are told by their marketing names, the longer name first") {
    using Named = std::pair<const char*, const char*>;
    for (const auto& [model, part] : {Named{"NVIDIA GB300", "gb300"},
                                      {"NVIDIA B300 SXM6 AC", "b300"},
                                      {"NVIDIA GB200", "gb200"},
                                      {"NVIDIA B200", "b200"},
                                      {"NVIDIA GH200 120GB", "gh200"},
                                      {"NVIDIA H200 NVL", "h200-nvl"},
                                      {"NVIDIA H200", "h200-sxm"},
                                      {"NVIDIA H20", "h20"},
                                      {"NVIDIA H20-3e", "h20-141"},
                                      {"NVIDIA H100 NVL", "h100-nvl"},
                                      {"NVIDIA H100 PCIe", "h100-pcie"},
                                      {"NVIDIA H100 80GB HBM3", "h100-sxm"},
                                      {"NVIDIA H800", "h800-sxm"},
                                      {"NVIDIA A800-SXM4-80GB", "a800-sxm4-80"},
                                      {"NVIDIA A10G", "a10g"},
                                      {"NVIDIA A10", "a10"},
                                      {"NVIDIA A100-SXM4-40GB", "a100-sxm4-40"},
                                      {"NVIDIA A40", "a40"},
                                      {"NVIDIA L40S", "l40s"},
                                      {"NVIDIA L40", "l40"},
                                      {"NVIDIA L4", "l4"},
                                      {"Tesla T4", "t4"},
                                      {"NVIDIA GeForce RTX 3090", "rtx-3090"},
                                      {"NVIDIA GeForce RTX 5090", "rtx-5090"},
                                      {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
                                      {"NVIDIA RTX A6000", "rtx-a6000"},
                                      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-blackwell"},
                                      {"NVIDIA GB10", "gb10"},
                                      {"AMD Instinct MI300X", "mi300x"},
                                      {"AMD Instinct MI355X", "mi355x"}}) {
        INFO(model);
        GpuSeen gpu;
        gpu.model = model;
        const PartFound found = gpu_part(catalogue(), gpu, nullptr, false);
        CHECK(found.name == part);
        CHECK(found.trust == Trust::fact);
        CHECK(catalogue().at("gpu", found.name).name == part);
    }
}
