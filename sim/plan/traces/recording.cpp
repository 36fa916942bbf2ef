#include "sim/plan/traces/recording.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>

#include "base/enum_name.hpp"
#include "base/error.hpp"
#include "base/pattern.hpp"

namespace fabricast::inline traces {

std::string_view to_string(RecordKind kind) {
    static constexpr std::array<std::string_view, 5> words = {"compute", "host", "collective", "send", "receive"};
    return enum_name(words, kind);
}

std::string_view to_string(Bound bound) {
    static constexpr std::array<std::string_view, 3> words = {"memory", "arithmetic", "neither"};
    return enum_name(words, bound);
}

std::uint32_t RankRecording::add(const Record& record, std::span<const std::uint32_t> after) {
    const auto number = static_cast<std::uint32_t>(records.size());
    assert(std::all_of(after.begin(), after.end(), [&](std::uint32_t earlier) { return earlier < number; }));
    records.push_back(record);
    waits_.insert(waits_.end(), after.begin(), after.end());
    ends_.push_back(static_cast<std::uint32_t>(waits_.size()));
    return number;
}

std::uint32_t Names::operator()(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) { return found->second; }
    texts_.emplace_back(text);
    return numbers_[texts_.back()] = static_cast<std::uint32_t>(texts_.size() - 1);
}

std::uint32_t group_number(std::vector<CommGroup>& groups, const CommGroup& group) {
    const auto known = std::ranges::find(groups, group);
    const auto number = static_cast<std::uint32_t>(known - groups.begin());
    if (known == groups.end()) { groups.push_back(group); }
    return number;
}

std::string place_of(const Recording& recording, const RankRecording& rank, std::size_t record) {
    const Record& r = rank.records[record];
    const std::string& name = recording.names.at(r.name);
    return fmt::format("rank {}, record {} ({}{})", rank.rank, record,
                       r.kind == RecordKind::collective ? to_string(r.collective) : to_string(r.kind),
                       name.empty() ? "" : " " + shown(name));
}

std::vector<std::uint32_t> strided_ranks(double first, double stride, std::uint32_t size) {
    std::vector<std::uint32_t> ranks;
    if (first >= 0 && stride >= 1 && first + stride * size < 4e9) {
        for (std::uint32_t i = 0; i < size; ++i) { ranks.push_back(static_cast<std::uint32_t>(first + stride * i)); }
    }
    return ranks;
}

std::uint32_t ranks_named(const Recording& recording) {
    std::uint32_t most = 0;
    for (const RankRecording& rank : recording.ranks) {
        most = std::max(most, rank.rank + 1);
        for (const Record& r : rank.records) {
            most = std::max(most, communicates(r.kind) && r.kind != RecordKind::collective ? r.other + 1 : 0);
        }
    }
    for (const CommGroup& group : recording.groups) {
        most = std::max(most, group.size);
        for (const std::uint32_t rank : group.ranks) { most = std::max(most, rank + 1); }
    }
    return most;
}

namespace {
// Names of C++ kernels repeat their types over pages.
bool says(std::string_view kernel, const Pattern& words) { return words.found_in(kernel.substr(0, 400)); }
}  // namespace

Bound bound_of_kernel(std::string_view name) {
    // Words in the kernel names of cuBLAS, cuDNN, CUTLASS, FlashAttention, Triton's templates and Tensile.
    static const Pattern arithmetic(
        "gemm|xmma|cutlass|conv|winograd|wgrad|dgrad|mma_|matmul|fprop|flash|attention|cijk_alik|nvjet");
    return says(name, arithmetic) ? Bound::arithmetic : Bound::memory;
}

DataType dtype_of_kernel(std::string_view name) {
    static const std::array<std::pair<Pattern, DataType>, 5> types = {
        {{Pattern("e4m3|e5m2|fp8|float8"), DataType::float8},
         {Pattern("dgemm|f64|double"), DataType::float64},
         {Pattern("bf16|bfloat"), DataType::bfloat16},
         {Pattern("hgemm|f16|half|h1688|h884"), DataType::float16},
         {Pattern("sgemm|<float|f32f32_f32f32_f32"), DataType::float32}}};
    const auto found = std::ranges::find_if(types, [&](const auto& type) { return says(name, type.first); });
    return found == types.end() ? DataType::bfloat16 : found->second;
}

}  // namespace fabricast::inline traces
