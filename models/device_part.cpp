#include "models/device_part.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"

namespace fabricast::inline models {

namespace {

// A generation that the table does not have says which it is taken for: `like`.
GpuArch arch(const Part& part) {
    const std::string& found = part.word_or("like", part.word("arch"));
    if (const auto name = std::ranges::find(gpu_arch_names, found); name != gpu_arch_names.end()) {
        return static_cast<GpuArch>(name - gpu_arch_names.begin());
    }
    throw CatalogError(
        "part '{}': no GPU generation '{}'{}", part.name, found,
        did_you_mean(found, names_of(gpu_arch_names), fmt::format("; there are {}", fmt::join(gpu_arch_names, ", "))));
}

}  // namespace

GpuSpec gpu_spec(const Part& part) {
    expect_kind(part, "gpu");
    const int nvlinks = part.has("nvlink.links") ? part.whole("nvlink.links") : 0;
    return {.name = part.name,
            .arch = arch(part),
            .compute_capability = part.whole("compute_capability"),
            .sms = part.whole("sms"),
            .fp64 = part.number_or("flops.fp64", 0),
            .fp32 = part.number("flops.fp32", "FLOP/s"),
            .tf32 = part.number_or("flops.tf32", 0),
            .fp16 = part.number_or("flops.fp16", 0),
            .bf16 = part.number_or("flops.bf16", 0),
            .fp8 = part.number_or("flops.fp8", 0),
            .fp4 = part.number_or("flops.fp4", 0),
            .memory_bandwidth = part.number("memory.bandwidth", "B/s"),
            .memory = part.bytes("memory.size"),
            .nvlink_rate = nvlinks > 0 ? part.number("nvlink.rate", "B/s") : 0,
            .nvlinks = nvlinks};
}

NicSpec nic_spec(const Part& part) {
    expect_kind(part, "nic");
    return {.name = part.name,
            .port_rate = part.rate("port_rate"),
            .host_link = part.word("host_link"),
            .port_link = part.word("port"),
            .speaks = part.word("speaks"),
            .transmit_latency = part.duration("latency.transmit"),
            .receive_latency = part.duration("latency.receive"),
            .gpu_memory_penalty = part.duration("latency.gpu_memory")};
}

SwitchSpec switch_spec(const Part& part) {
    expect_kind(part, "switch");
    return {.name = part.name,
            .speaks = part.word("speaks"),
            .radix = part.whole("radix"),
            .port_rate = part.rate("port_rate"),
            .split = part.has("split") ? part.whole("split") : 1,
            .latency = part.duration("latency"),
            .buffer = part.has("buffer") ? part.bytes("buffer") : Bytes{}};
}

NvswitchSpec nvswitch_spec(const Part& part) {
    expect_kind(part, "nvswitch");
    return {.name = part.name,
            .generation = part.whole("generation"),
            .ports = part.whole("ports"),
            .port_rate = part.rate("port_rate"),
            .latency = part.duration("latency"),
            .reduces = part.word_or("reduces", "no") == "yes"};
}

CpuSpec cpu_spec(const Part& part) {
    expect_kind(part, "cpu");
    return {.name = part.name,
            .vendor = part.word("vendor"),
            .family = part.word("family"),
            .memory_bandwidth = part.number("memory.bandwidth", "B/s"),
            .pcie_lanes = part.whole("pcie_lanes"),
            .socket_link = part.word_or("socket_link", ""),
            .socket_links = part.has("socket_links") ? part.whole("socket_links") : 0,
            .root_complex_latency = part.duration("root_complex.latency"),
            .duplex_share = part.number("duplex.share", ""),
            .p2p_write_limit = part.number_or("p2p.write_limit", 0),
            .p2p_read_limit = part.number_or("p2p.read_limit", 0)};
}

int links_of_port(const SwitchSpec& of, Rate rate) {
    int links = 1;
    while (2 * links <= of.split && rate <= Rate{of.port_rate.num, of.port_rate.den * 2 * links}) { links *= 2; }
    return of.port_rate < rate ? 0 : links;
}

Duration passing_latency(const NicSpec& nic) {
    return {(nic.transmit_latency + nic.receive_latency + nic.gpu_memory_penalty).ps / 2};
}

Duration cable_latency(const Part& cable, double metres) {
    expect_kind(cable, "cable");
    return from_seconds(cable.number("delay", "s/m") * metres) + cable.duration("ends");
}

double copper_reach_metres(const Part& cable, int gigabits_per_lane) {
    return cable.number_or("reach." + std::to_string(gigabits_per_lane) + "g", 0);
}

}  // namespace fabricast::inline models
