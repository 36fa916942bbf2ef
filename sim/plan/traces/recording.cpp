#include "sim/plan/traces/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/enum_name.hpp"
#include "base/input_error.hpp"
#include "base/text.hpp"

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
std::string lower_start(std::string_view name) { return lower_case(name.substr(0, 400)); }

}  // namespace

Bound bound_of_kernel(std::string_view name) {
    // Words in the kernel names of cuBLAS, cuDNN, CUTLASS, FlashAttention, Triton's templates and Tensile.
    static constexpr std::array<std::string_view, 14> words = {"gemm",  "xmma",      "cutlass",   "conv",   "winograd",
                                                               "wgrad", "dgrad",     "mma_",      "matmul", "fprop",
                                                               "flash", "attention", "cijk_alik", "nvjet"};
    const std::string said = lower_start(name);
    const bool arithmetic =
        std::any_of(words.begin(), words.end(), [&](std::string_view w) { return said.find(w) != std::string::npos; });
    return arithmetic ? Bound::arithmetic : Bound::memory;
}

DataType dtype_of_kernel(std::string_view name) {
    const std::string said = lower_start(name);
    const auto says = [&](std::string_view word) { return said.find(word) != std::string::npos; };
    if (says("e4m3") || says("e5m2") || says("fp8") || says("float8")) { return DataType::float8; }
    if (says("dgemm") || says("f64") || says("double")) { return DataType::float64; }
    if (says("bf16") || says("bfloat")) { return DataType::bfloat16; }
    if (says("hgemm") || says("f16") || says("half") || says("h1688") || says("h884")) { return DataType::float16; }
    return says("sgemm") || says("<float") || says("f32f32_f32f32_f32") ? DataType::float32 : DataType::bfloat16;
}

}  // namespace fabricast::inline traces
