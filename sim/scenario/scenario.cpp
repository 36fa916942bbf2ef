#include "sim/scenario/scenario.hpp"

namespace fabricast {

const std::vector<std::string>& workload_kinds() {
    static const std::vector<std::string> words = {"collective", "training", "trace"};
    return words;
}

const std::string& kind_of(const Workload& workload) { return workload_kinds().at(workload.index()); }

Place place_of(const Scenario& scenario, std::string_view key) {
    while (!key.empty()) {
        if (const auto written = scenario.places.find(key); written != scenario.places.end()) {
            return written->second;
        }
        const std::size_t dot = key.rfind('.');
        key = key.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    return {std::make_shared<const std::string>(scenario.file)};
}

}  // namespace fabricast
