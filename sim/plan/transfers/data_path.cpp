#include "sim/plan/transfers/data_path.hpp"

#include "base/text.hpp"
#include "models/figure_reader.hpp"

namespace fabricast {

namespace {

std::string joined_sources(const std::vector<std::string>& sources) {
    std::string all;
    for (const std::string& source : sources) {
        all += (all.empty() ? "" : ", ") + source;
    }
    return all;
}

}  // namespace

int DataPath::copies() const {
    int count = 0;
    for (const Leg& leg : legs) {
        const bool network = !leg.paths.empty() && leg.paths.front().kind == PathKind::network;
        count += network ? 0 : 1;
    }
    return count;
}

int DataPath::dma_crossings() const {
    int count = 0;
    for (const Leg& leg : legs) {
        const bool network = !leg.paths.empty() && leg.paths.front().kind == PathKind::network;
        count += !leg.dma || leg.paths.empty() ? 0 : network ? 2 : 1;  // one adapter reads, the other writes
    }
    return count;
}

Duration DataPath::fixed_latency() const {
    Duration sum;
    for (const LatencyTerm& term : latency) {
        sum += term.time;
    }
    return sum;
}

const Part& DataPathFigures::part(std::string_view name) const {
    const Part* found = catalog_->find(name);
    return found != nullptr ? *found : catalog_->at("data-path", name);  // throws and names the nearest part
}

const Figure& DataPathFigures::read(std::string_view name, std::string_view figure) {
    const Part& from = part(name);
    const Figure& found = from.figure(figure);
    used_.try_emplace({std::string(name), std::string(figure)}, &found);
    return found;
}

double DataPathFigures::number(std::string_view name, std::string_view figure) {
    return read(name, figure).value.front();
}

LatencyTerm DataPathFigures::latency(std::string what, std::string_view name, std::string_view figure) {
    const Figure& found = read(name, figure);
    return {std::move(what), from_seconds(found.value.front()), from_seconds(found.low80), from_seconds(found.high80),
            std::string(name) + "/" + std::string(figure)};
}

std::vector<FigureUsed> DataPathFigures::used() const {
    std::vector<FigureUsed> all;
    for (const auto& [key, figure] : used_) {
        all.push_back({key.first, key.second, figure->unit, std::string(to_string(figure->origin)),
                       joined_sources(figure->source), figure->value.front(), figure->low80, figure->high80});
    }
    return all;
}

}  // namespace fabricast
