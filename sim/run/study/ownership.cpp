#include "sim/run/study/ownership.hpp"

#include "models/figure_reader.hpp"

namespace fabricast::inline studies {

namespace {

constexpr double hour = 3600;
constexpr double year = 365.25 * 24 * hour;

double value_of(const Figure& figure, std::string_view part, std::string_view name, const Draw* draw) {
    return draw == nullptr ? figure.value.front() : drawn(figure, *draw, part, name);
}

}  // namespace

double capital_usd(const PartsList& list, const Draw* draw) {
    double all = 0;
    for (const PartLine& line : list.lines) { all += line.count * value_of(*line.price, line.part, "price", draw); }
    return all;
}

double it_watts(const PartsList& list, const Draw* draw) {
    double all = 0;
    for (const PartLine& line : list.lines) {
        all += line.count * line.watts_each * value_of(*line.watts, line.watts_of, "power", draw);
    }
    return all;
}

double guessed_share(const PartsList& list) {
    double guessed = 0;
    for (const PartLine& line : list.lines) {
        guessed += line.price->origin == Origin::estimated ? line.count * line.price->value.front() : 0;
    }
    const double all = capital_usd(list);
    return all > 0 ? guessed / all : 0;
}

Ownership ownership(const Catalog& catalog, std::uint64_t gpus, const Draw* draw) {
    const auto value = [&](const char* part, const char* name) {
        return value_of(catalog.at("system", part).figure(name), part, name, draw);
    };
    return {.pue = value("data-centre", "pue"),
            .usd_per_joule = value("data-centre", "electricity") / (1000 * hour),
            .seconds = value("ownership", "years") * year,
            .operations_usd = value("ownership", "operations_per_gpu") * static_cast<double>(gpus)};
}

}  // namespace fabricast::inline studies
