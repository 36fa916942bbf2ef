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
#include "sim/run/study/evaluation.hpp"

namespace fabricast {

namespace {

constexpr double no_matter = 0.01;  // two designs within one per cent: less than the noise between runs

void add_costs(const StudyInput& input, const StudyOptions& options, const Evaluation& evaluation,
               DesignResult& result) {
    const DrawnDesign drawn(input, evaluation, options.seed);
    const std::uint32_t n = options.draws;
    const Ownership owning = ownership(input.catalog, result.parts.bill.gpus);
    const double seconds = result.time_s.value;
    if (result.parts.powered()) {
        const double watts = it_watts(result.parts);
        result.it_watts = drawn_range(watts, n, [&](std::uint32_t k) { return drawn.watts(k); });
        result.all_watts =
            drawn_range(watts * owning.pue, n, [&](std::uint32_t k) { return drawn.watts(k) * drawn.owning(k).pue; });
        if (evaluation.tokens > 0) {
            result.tokens_per_joule =
                drawn_range(evaluation.tokens / seconds / (watts * owning.pue), n, [&](std::uint32_t k) {
                    return evaluation.tokens / (seconds * drawn.form(k)) / (drawn.watts(k) * drawn.owning(k).pue);
                });
        }
    }
    if (!result.parts.priced()) {
        return;
    }
    const double capital = capital_usd(result.parts);
    result.guessed_share = guessed_share(result.parts);
    result.capital_usd = drawn_range(capital, n, [&](std::uint32_t k) { return drawn.capital(k); });
    if (evaluation.busbw_seconds > 0) {
        result.usd_per_busbw = drawn_range(capital * seconds / evaluation.busbw_seconds, n, [&](std::uint32_t k) {
            return drawn.capital(k) * seconds * drawn.form(k) / evaluation.busbw_seconds;
        });
    }
    if (evaluation.tokens > 0 && result.parts.powered()) {
        const double total = owning.total_usd(capital, it_watts(result.parts));
        result.usd_per_million_tokens =
            drawn_range(1e6 * total * seconds / (evaluation.tokens * owning.seconds), n,
                        [&](std::uint32_t k) { return 1e6 * drawn.value(k, seconds * drawn.form(k)); });
    }
}

Verdict verdict_of(const Range& time) {
    if (time.low80 > -no_matter && time.high80 < no_matter) {
        return Verdict::same;
    }
    return time.low80 > 0 || time.high80 < 0 ? Verdict::real : Verdict::unclear;
}

Difference difference(const Evaluation& first, const Evaluation& other, const DrawnDesign& of_first,
                      const DrawnDesign& of_other, const std::vector<double>& seconds_first,
                      const std::vector<double>& seconds_other, std::uint32_t draws) {
    const Own a = own_time(first, other);
    const Own b = own_time(other, first);
    Difference d;
    d.design = other.result.name;
    d.against = first.result.name;
    d.shared = a.shared / first.result.time_s.value;
    const auto ratio = [&](std::uint32_t k) {
        return std::pair{of_other.seconds(k, seconds_other[k], b), of_first.seconds(k, seconds_first[k], a)};
    };
    d.time = drawn_range(other.result.time_s.value / first.result.time_s.value - 1, draws, [&](std::uint32_t k) {
        const auto [mine, theirs] = ratio(k);
        return mine / theirs - 1;
    });
    d.verdict = verdict_of(d.time);
    d.priced = of_first.priced() && of_other.priced();
    if (d.priced) {
        d.capital = drawn_range(capital_usd(other.result.parts) / capital_usd(first.result.parts) - 1, draws,
                                [&](std::uint32_t k) { return of_other.capital(k) / of_first.capital(k) - 1; });
        const auto value = [](const DesignResult& r) {
            return r.usd_per_million_tokens ? r.usd_per_million_tokens->value : capital_usd(r.parts) * r.time_s.value;
        };
        d.value = drawn_range(value(other.result) / value(first.result) - 1, draws, [&](std::uint32_t k) {
            const auto [mine, theirs] = ratio(k);
            return of_other.value(k, mine) / of_first.value(k, theirs) - 1;
        });
    }
    return d;
}

// The measures of the Pareto set; smaller is better in each.
std::vector<double> measures(const DesignResult& r) {
    std::vector<double> m{r.tokens_per_s ? 1 / r.tokens_per_s->value : r.time_s.value};
    if (r.capital_usd) {
        m.push_back(r.capital_usd->value);
    }
    if (r.it_watts) {
        m.push_back(r.it_watts->value);
    }
    return m;
}

bool beats(const DesignResult& a, const DesignResult& b) {
    const std::vector<double> x = measures(a);
    const std::vector<double> y = measures(b);
    bool better = false;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (x[i] > y[i]) {
            return false;
        }
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
        case StudyOrder::time:
            return measures(r).front();
        case StudyOrder::capital:
            return r.capital_usd ? r.capital_usd->value : r.time_s.value;
        case StudyOrder::power:
            return r.it_watts ? r.it_watts->value : r.time_s.value;
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
    std::vector<Evaluation> evaluations;
    parallel_map_ordered(
        inputs.size(), options.threads, [&](std::size_t i) { return evaluate(inputs[i], quiet); },
        [&](Evaluation e) { evaluations.push_back(std::move(e)); });

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
            if (watch.progress) {
                watch.progress(static_cast<double>(done) / static_cast<double>(runs));
            }
        });

    Study result;
    result.order = options.order;
    result.draws = options.draws;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        add_costs(inputs[i], options, evaluations[i], evaluations[i].result);
    }
    const DrawnDesign first(inputs.front(), evaluations.front(), options.seed);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        result.differences.push_back(difference(evaluations.front(), evaluations[i], first,
                                                DrawnDesign(inputs[i], evaluations[i], options.seed), seconds.front(),
                                                seconds[i], options.draws));
    }
    for (const Evaluation& evaluation : evaluations) {
        result.designs.push_back(evaluation.result);
    }
    for (DesignResult& design : result.designs) {
        design.best = std::none_of(result.designs.begin(), result.designs.end(),
                                   [&](const DesignResult& other) { return beats(other, design); });
    }
    std::stable_sort(result.designs.begin(), result.designs.end(), [&](const DesignResult& a, const DesignResult& b) {
        return order_key(a, options.order) < order_key(b, options.order);
    });
    return result;
}

}  // namespace fabricast
