#include "sim/scenario/scenario.hpp"

#include <array>

#include "base/enum_name.hpp"

namespace fabricast::inline scenario {

std::string_view to_string(ScalingMode m) {
    static constexpr std::array<std::string_view, 2> words = {"weak", "strong"};
    return enum_name(words, m);
}

const std::vector<std::string>& workload_kinds() {
    static const std::vector<std::string> words = {"collective", "training", "trace", "transfer"};
    return words;
}

Workload workload_of_kind(std::size_t kind) {
    static const std::vector<Workload> kinds = {CollectiveWorkload{}, TrainingWorkload{}, TraceWorkload{},
                                                TransferWorkload{}};
    return kinds.at(kind);
}

const std::string& kind_of(const Workload& workload) { return workload_kinds().at(workload.index()); }

const std::vector<Bytes>* sizes_of(const Workload& workload) {
    if (const auto* collective = std::get_if<CollectiveWorkload>(&workload)) { return &collective->sizes; }
    const auto* transfer = std::get_if<TransferWorkload>(&workload);
    return transfer == nullptr ? nullptr : &transfer->sizes;
}

std::vector<Bytes>* sizes_of(Workload& workload) {
    return const_cast<std::vector<Bytes>*>(sizes_of(static_cast<const Workload&>(workload)));
}

SourceLocation place_of(const Scenario& scenario, std::string_view key) {
    for (; !key.empty(); key = parent_of(key)) {
        if (const auto written = scenario.places.find(key); written != scenario.places.end()) {
            return written->second;
        }
    }
    return {std::make_shared<const std::string>(scenario.file)};
}

}  // namespace fabricast::inline scenario
