#include "sim/plan/collectives/costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "models/figure_reader.hpp"

namespace fabricast::inline collectives {

double FigureReader::read(const Part& part, std::string_view figure) {
    const Figure& found = part.figure(figure);
    used_.insert_or_assign({part.name, std::string(figure)}, Used{&part, &found});
    const double value = found.value.at(0);
    if (&found != moved_) { return value; }
    const bool high = end_ == End::high;
    if (found.high80 > found.low80) { return high ? found.high80 : found.low80; }
    return high ? 1.2 * value : value / 1.2;
}

std::vector<std::pair<const Figure*, Trust>> FigureReader::trust() const {
    std::vector<std::pair<const Figure*, Trust>> list;
    list.reserve(used_.size());
    for (const auto& [name, used] : used_) { list.emplace_back(used.figure, parts_.of(*used.part, *used.figure)); }
    return list;
}

FigureUsed figure_used(const std::string& part, const std::string& name, const Figure& figure) {
    return {.part = part,
            .figure = name,
            .unit = figure.unit,
            .origin = std::string(to_string(figure.origin)),
            .source = fmt::format("{}", fmt::join(figure.source, ", ")),
            .value = figure.value.at(0),
            .low80 = figure.low80,
            .high80 = figure.high80};
}

std::vector<FigureUsed> FigureReader::figures() const {
    std::vector<FigureUsed> list;
    for (const auto& [name, used] : used_) { list.push_back(figure_used(name.first, name.second, *used.figure)); }
    return list;
}

Interval interval(const FigureReader& ledger, Evidence misses_like, double bytes) {
    const char* regime = bytes < 65536 ? ".small" : bytes < 16.0 * (1 << 20) ? ".middle" : ".large";
    const char* scope = misses_like == Evidence::measured_here ? ""
                        : ledger.parts().transport == nullptr  ? ".inside"
                                                               : ".between";
    const Figure& ratio =
        ledger.parts().intervals->figure(fmt::format("{}{}{}", enum_name(interval_names, misses_like), scope, regime));
    return {ratio.low80 - 1, ratio.high80 - 1};
}

}  // namespace fabricast::inline collectives
