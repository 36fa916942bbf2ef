#include "sim/run/study/study.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/enum_name.hpp"
#include "base/parallel_map_ordered.hpp"
#include "sim/run/explain/counterfactual.hpp"
#include "sim/run/explain/explained_run.hpp"
#include "sim/run/study/drawn_design.hpp"

namespace fabricast::inline studies {

namespace {

constexpr double no_matter = 0.01;  // two designs within one per cent: less than the noise between runs

void add_costs(const DrawnDesign& drawn, DesignResult& result) {
    const double busbw_seconds = drawn.evaluation.busbw_seconds;
    const double tokens = drawn.evaluation.tokens;
    const Ownership owning = ownership(drawn.input.catalog, result.parts.bill.gpus);
    const double seconds = result.time_s.value;
    if (result.parts.powered()) {
        const double watts = it_watts(result.parts);
        const auto all_watts = [&](const Draw& d) { return drawn.watts(d) * drawn.owning(d).pue; };
        result.it_watts = drawn.range(watts, [&](const Draw& d) { return drawn.watts(d); });
        result.all_watts = drawn.range(watts * owning.pue, all_watts);
        if (tokens > 0) {
            result.tokens_per_joule = drawn.range(tokens / seconds / (watts * owning.pue), [&](const Draw& d) {
                return tokens / (seconds * drawn.form(d)) / all_watts(d);
            });
        }
    }
    if (!result.parts.priced()) { return; }
    const double capital = capital_usd(result.parts);
    result.guessed_share = guessed_share(result.parts);
    result.capital_usd = drawn.range(capital, [&](const Draw& d) { return drawn.capital(d); });
    if (busbw_seconds > 0) {
        result.usd_per_busbw = drawn.range(capital * seconds / busbw_seconds, [&](const Draw& d) {
            return drawn.capital(d) * seconds * drawn.form(d) / busbw_seconds;
        });
    }
    if (tokens > 0 && result.parts.powered()) {
        const double total = owning.total_usd(capital, it_watts(result.parts));
        result.usd_per_million_tokens =
            drawn.range(1e6 * total * seconds / (tokens * owning.seconds),
                        [&](const Draw& d) { return 1e6 * drawn.value(d, seconds * drawn.form(d)); });
    }
}

Verdict verdict_of(const Range& time) {
    if (time.low80 > -no_matter && time.high80 < no_matter) { return Verdict::same; }
    return time.low80 > 0 || time.high80 < 0 ? Verdict::real : Verdict::unclear;
}

Difference difference(const DrawnDesign& first, const DrawnDesign& other) {
    const DesignResult& theirs = first.evaluation.result;
    const DesignResult& mine = other.evaluation.result;
    const Own a = own_time(first.evaluation, other.evaluation);
    const Own b = own_time(other.evaluation, first.evaluation);
    Difference d;
    d.design = mine.name;
    d.against = theirs.name;
    d.shared = a.shared / theirs.time_s.value;
    d.time = first.range(mine.time_s.value / theirs.time_s.value - 1,
                         [&](const Draw& k) { return other.seconds(k, b) / first.seconds(k, a) - 1; });
    d.verdict = verdict_of(d.time);
    d.priced = first.priced() && other.priced();
    if (d.priced) {
        d.capital = first.range(capital_usd(mine.parts) / capital_usd(theirs.parts) - 1,
                                [&](const Draw& k) { return other.capital(k) / first.capital(k) - 1; });
        const auto value = [](const DesignResult& r) {
            return r.usd_per_million_tokens ? r.usd_per_million_tokens->value : capital_usd(r.parts) * r.time_s.value;
        };
        d.value = first.range(value(mine) / value(theirs) - 1, [&](const Draw& k) {
            return other.value(k, other.seconds(k, b)) / first.value(k, first.seconds(k, a)) - 1;
        });
    }
    return d;
}

// The measures of the Pareto set; smaller is better in each.
std::vector<double> measures(const DesignResult& r) {
    std::vector<double> m{r.tokens_per_s ? 1 / r.tokens_per_s->value : r.time_s.value};
    if (r.capital_usd) { m.push_back(r.capital_usd->value); }
    if (r.it_watts) { m.push_back(r.it_watts->value); }
    return m;
}

bool beats(const DesignResult& a, const DesignResult& b) {
    const std::vector<double> x = measures(a);
    const std::vector<double> y = measures(b);
    bool better = false;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (x[i] > y[i]) { return false; }
        better = better || x[i] < y[i];
    }
    return better;
}

double order_key(const DesignResult& r, StudyOrder order) {
    switch (order) {
        case StudyOrder::value:
            return r.usd_per_million_tokens ? r.usd_per_million_tokens->value
                   : r.capital_usd          ? r.capital_usd->value * r.time_s.value
                                            : r.time_s.value;
        case StudyOrder::time: return measures(r).front();
        case StudyOrder::capital: return r.capital_usd ? r.capital_usd->value : r.time_s.value;
        case StudyOrder::power: return r.it_watts ? r.it_watts->value : r.time_s.value;
    }
    return 0;
}

}  // namespace

std::string_view to_string(StudyOrder order) {
    static constexpr std::array<std::string_view, 4> words = {"value", "time", "capital", "power"};
    return enum_name(words, order);
}

std::string_view to_string(Verdict verdict) {
    static constexpr std::array<std::string_view, 3> words = {"no difference that matters", "not told apart", "real"};
    return enum_name(words, verdict);
}

Study study(const std::vector<StudyInput>& inputs, const StudyOptions& options, const Watch& watch) {
    assert(!inputs.empty() && options.draws >= 10);
    const Watch quiet{watch.stop, {}};
    std::vector<Evaluation> evaluations =
        parallel_map(inputs.size(), options.threads, [&](std::size_t i) { return evaluate(inputs[i], quiet); });

    // Runs every design with each draw's constants; a constant that two designs share changes both in the same way.
    std::vector<std::vector<double>> seconds(inputs.size());
    const std::size_t runs = inputs.size() > 1 ? inputs.size() * options.draws : 0;
    std::size_t done = 0;
    parallel_map_ordered(
        runs, options.threads,
        [&](std::size_t i) {
            const StudyInput& input = inputs[i / options.draws];
            const Draw draw{options.seed, static_cast<std::uint32_t>(i % options.draws)};
            return run_seconds(single_point(input.scenario), drawn_catalog(input.catalog, draw), quiet);
        },
        [&](double value) {
            seconds[done++ / options.draws].push_back(value);
            if (watch.progress) { watch.progress(static_cast<double>(done) / static_cast<double>(runs)); }
        });

    Study result;
    result.order = options.order;
    result.draws = options.draws;
    std::vector<DrawnDesign> drawn;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        drawn.push_back({inputs[i], evaluations[i], options.seed, options.draws, std::move(seconds[i])});
        add_costs(drawn[i], evaluations[i].result);
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        result.differences.push_back(difference(drawn.front(), drawn[i]));
    }
    for (const Evaluation& evaluation : evaluations) { result.designs.push_back(evaluation.result); }
    for (DesignResult& design : result.designs) {
        design.best =
            std::ranges::none_of(result.designs, [&](const DesignResult& other) { return beats(other, design); });
    }
    std::ranges::stable_sort(result.designs, {}, [&](const DesignResult& r) { return order_key(r, options.order); });
    return result;
}

}  // namespace fabricast::inline studies
