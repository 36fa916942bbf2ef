#include "sim/plan/traces/gpu_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.hpp"

namespace fabricast::inline traces {

double peak_of(const GpuSpec& gpu, DataType dtype) {
    const auto first = [](std::initializer_list<double> peaks) {
        const auto found = std::find_if(peaks.begin(), peaks.end(), [](double p) { return p > 0; });
        return found == peaks.end() ? 0 : *found;
    };
    switch (dtype) {
        case DataType::float64:
        case DataType::int64:
        case DataType::uint64: return first({gpu.fp64, gpu.fp32});
        case DataType::float16: return first({gpu.fp16, gpu.fp32});
        case DataType::bfloat16: return first({gpu.bf16, gpu.fp16, gpu.fp32});
        case DataType::float8:
        case DataType::int8:
        case DataType::uint8: return first({gpu.fp8, gpu.bf16, gpu.fp16, gpu.fp32});
        default: return gpu.fp32;
    }
}

double GpuScaling::factor(const Record& record) const {
    if (!known || record.kind != RecordKind::compute || record.bound == Bound::neither) { return 1; }
    const auto rate = [&](const GpuSpec& gpu) {
        return record.bound == Bound::memory ? gpu.memory_bandwidth : peak_of(gpu, record.dtype);
    };
    const double before = rate(recorded), now = rate(simulated);
    return before > 0 && now > 0 ? before / now : 1;
}

std::string gpu_named(const Catalog& catalog, const std::string& name, const std::string& near) {
    const std::string said = lower_case(name);
    const auto says = [&](std::string_view word) { return said.find(word) != std::string::npos; };
    std::string best;
    int best_score = -1;
    for (const Part* part : catalog.of_kind("gpu")) {
        const std::vector<std::string_view> words = split(part->name, '-');
        const std::size_t model =
            words.empty() ? std::string::npos : said.find(words.front());  // "h200" is also part of "gh200"
        if (model == std::string::npos ||
            (model > 0 && std::isalnum(static_cast<unsigned char>(said[model - 1])) != 0)) {
            continue;
        }
        int score = part->name == near ? 1 : 0;
        for (std::size_t i = 1; i < words.size(); ++i) { score += says(words[i]) ? 4 : 0; }
        // NVIDIA's names do not mark the module, but the card has "PCIe" in its name.
        score += words.size() > 1 && words[1].starts_with("sxm") && !says("pcie") ? 2 : 0;
        if (score > best_score) {
            best = part->name;
            best_score = score;
        }
    }
    return best;
}

GpuScaling gpu_scaling(const Catalog& catalog, const GpuSpec& simulated, const std::string& asked,
                       const std::string& in_trace) {
    GpuScaling scaling;
    scaling.simulated = simulated;
    const std::string part = !asked.empty() ? asked : gpu_named(catalog, in_trace, simulated.name);
    if (part.empty()) {
        scaling.note =
            in_trace.empty()
                ? "the recording does not say on which GPU it was made: kernels keep their times"
                : fmt::format("recorded on {}, which the catalogue does not have: kernels keep their times", in_trace);
        return scaling;
    }
    scaling.recorded = gpu_spec(catalog.at("gpu", part));
    scaling.known = true;
    scaling.note = fmt::format("recorded on {}{}, replayed on {}", part,
                               asked.empty() && part != in_trace ? " (" + in_trace + ")" : "",
                               simulated.name.empty() ? "this cluster's GPU" : simulated.name);
    if (part != simulated.name) {
        scaling.note += ": kernels scaled by the roofline, by memory bandwidth or by the peak of their arithmetic";
    }
    return scaling;
}

}  // namespace fabricast::inline traces
