#include "sim/run/study/ranking.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/enum_name.hpp"
#include "models/evidence.hpp"

namespace fabricast::inline studies {

namespace {

// Whether the order says which of two designs is better: times and costs only of those that do the same.
bool rankable(const DesignResult& a, const DesignResult& b, StudyOrder order) {
    if (order == StudyOrder::value && a.goodput.has_value() != b.goodput.has_value()) { return false; }
    return order == StudyOrder::capital || order == StudyOrder::power || a.work == b.work;
}

}  // namespace

std::string_view to_string(StudyOrder order) { return enum_name<4>({"value", "time", "capital", "power"}, order); }

std::optional<double> order_key(const DesignResult& r, StudyOrder order) {
    const auto value_of = [](const std::optional<Range>& range) {
        return range ? std::optional(range->value) : std::nullopt;
    };
    switch (order) {
        case StudyOrder::value:
            if (r.tokens_per_s) { return value_of(r.usd_per_million_tokens); }
            if (r.busbw && r.busbw->value > 0) { return value_of(r.usd_per_busbw); }
            return r.capital_usd ? std::optional(r.capital_usd->value * r.time_s.value) : std::nullopt;
        case StudyOrder::time: return r.tokens_per_s ? 1 / r.tokens_per_s->value : r.time_s.value;
        case StudyOrder::capital: return value_of(r.capital_usd);
        case StudyOrder::power: return value_of(r.it_watts);
    }
    return std::nullopt;
}

bool beats(const DesignResult& a, const DesignResult& b) {
    if (a.work != b.work) { return false; }
    bool better = false;
    for (const StudyOrder order : {StudyOrder::time, StudyOrder::capital, StudyOrder::power}) {
        const auto [x, y] = std::pair{order_key(a, order), order_key(b, order)};
        if (!x || !y) { continue; }
        if (*x > *y) { return false; }
        better = better || *x < *y;
    }
    return better;
}

Ranking rank(std::vector<DesignResult>& designs, StudyOrder asked) {
    Ranking ranking;
    const auto known = [&](const DesignResult& r) { return order_key(r, asked).has_value(); };
    ranking.order = std::ranges::any_of(designs, known) ? asked : StudyOrder::time;
    const auto like_first = [&](const DesignResult& r) { return rankable(r, designs.front(), ranking.order); };
    ranking.ranked = std::ranges::all_of(designs, like_first);
    if (ranking.order != asked && ranking.ranked && designs.size() > 1) {
        ranking.notes.push_back(fmt::format("the {} of no design is known: they are ranked by time", to_string(asked)));
    }
    std::vector<std::string> works;
    for (const DesignResult& r : designs) {
        merge_notes(works, {r.work});
        for (const StudyOrder measure : {StudyOrder::capital, StudyOrder::power}) {
            const auto has = [&](const DesignResult& other) { return order_key(other, measure).has_value(); };
            if (has(r) || std::ranges::none_of(designs, has)) { continue; }
            ranking.notes.push_back(fmt::format(
                "no {} of {} is known: the Pareto set compares it by the rest{}", to_string(measure), r.name,
                ranking.ranked && !order_key(r, ranking.order) ? ", and in the order it is last" : ""));
        }
    }
    if (works.size() > 1) {
        ranking.notes.push_back(
            fmt::format("the designs do different work ({}): no time or cost of one is better than that of another",
                        fmt::join(works, "; ")));
    } else if (!ranking.ranked) {
        ranking.notes.emplace_back("only some designs have a goodput: their costs of a token do not count the same");
    }
    if (!ranking.ranked) { return ranking; }
    std::ranges::stable_sort(designs, {}, [&](const DesignResult& r) {
        const std::optional<double> key = order_key(r, ranking.order);
        return std::pair{!key, key.value_or(0)};
    });
    return ranking;
}

}  // namespace fabricast::inline studies
