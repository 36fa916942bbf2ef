#include "sim/plan/transfers/data_path.hpp"

#include <algorithm>

namespace fabricast::inline transfers {

void Leg::limit(double rate, std::string_view why) {
    if (rate < rate_cap) {
        rate_cap = rate;
        cap = why;
    }
}

int DataPath::copies() const {
    return static_cast<int>(std::ranges::count_if(legs, [](const Leg& leg) { return !leg.on_network(); }));
}

int DataPath::dma_crossings() const {
    int count = 0;
    for (const Leg& leg : legs) {
        count += !leg.dma || leg.paths.empty() ? 0 : leg.on_network() ? 2 : 1;  // one adapter reads, the other writes
    }
    return count;
}

Duration DataPath::fixed_latency() const {
    Duration sum;
    for (const LatencyTerm& term : latency) { sum += term.time; }
    return sum;
}

const Part& DataPathFigures::part(std::string_view name) const {
    const Part* found = catalog_->find(name);
    return found != nullptr ? *found : catalog_->at("data-path", name);  // throws and names the nearest part
}

double DataPathFigures::number(std::string_view name, std::string_view figure) {
    return log_.read(part(name), figure).value.front();
}

LatencyTerm DataPathFigures::latency(std::string what, std::string_view name, std::string_view figure) {
    const Figure& found = log_.read(part(name), figure);
    return {std::move(what), from_seconds(found.value.front()), from_seconds(found.low80), from_seconds(found.high80),
            std::string(name) + "/" + std::string(figure)};
}

}  // namespace fabricast::inline transfers
