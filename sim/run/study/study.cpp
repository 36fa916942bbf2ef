#include "sim/run/study/study.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "base/enum_name.hpp"
#include "base/parallel_map_ordered.hpp"
#include "base/text.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/study/parts_list.hpp"

namespace fabricast::inline studies {

namespace {

// Whether the stretch is on a trunk, where routing decides how well it is used.
bool is_trunk(const Blame& blame) {
    return blame.kind == BlameKind::bandwidth && has_word("leaf-spine spine-core global torus", blame.what);
}

// The family of a stretch of the critical path; forecasts of one family have errors in common: bytes on network links,
// on links of the node, latencies ...
std::string_view family_of(const Blame& blame) {
    if (blame.kind == BlameKind::bandwidth) { return is_trunk(blame) || blame.what == "nic-port" ? "network" : "node"; }
    return to_string(blame.kind == BlameKind::launch ? BlameKind::compute : blame.kind);
}

// The seconds that a design spends in the same way as another one, and its own seconds by family, trunks separately.
struct Own {
    double shared = 0;
    std::map<std::pair<std::string, bool>, double> seconds;
};

Own own_time(const Evaluation& one, const Evaluation& other) {
    Own own;
    for (const Blame& blame : one.blames) {
        double common = 0;
        for (const Blame& b : other.blames) { common += alike(blame, b) ? std::min(blame.seconds, b.seconds) : 0; }
        own.shared += common;
        own.seconds[{std::string(family_of(blame)), is_trunk(blame)}] += blame.seconds - common;
    }
    if (one.blames.empty()) { own.seconds[{"network", true}] = one.result.time_s.value; }
    return own;
}

// The draws for one design: the time of its workload with each draw's constants, and its costs.
struct DrawnDesign {
    const StudyInput& input;
    const Evaluation& evaluation;
    std::uint64_t seed = 1;
    std::uint32_t draws = 0;
    std::vector<double> with_constants;  // its seconds with each draw's constants; empty if there is no other design

    // Measured / forecast time of one draw, from the errors of such forecasts, which include those of the constants.
    double form(const Draw& draw) const {
        return at_deviation(evaluation.form, normal(draw, "form " + evaluation.system));
    }
    // The seconds of a draw for the comparison with another design. The error of the constants and of the system
    // applies to all of the time, the error of a family to the design's own stretches, and uneven trunks to each design
    // separately.
    double seconds(const Draw& draw, const Own& own) const {
        const auto error = [&](const std::string& figure, const std::string& name) {
            return at_deviation(study_interval(input.catalog, figure), normal(draw, name));
        };
        double moved = own.shared;
        for (const auto& [key, seconds] : own.seconds) {
            const auto& [family, trunk] = key;
            const std::string regime = family == "compute"               ? "training"
                                       : evaluation.regime == "training" ? "large"
                                                                         : evaluation.regime;
            const double uneven = trunk ? error("trunks", "trunks " + evaluation.result.name) : 1;
            moved += seconds * error("paired." + regime, "own " + evaluation.system + family) * uneven;
        }
        return with_constants[draw.index] * (moved / evaluation.result.time_s.value) * form(draw);
    }
    // Capital in USD, power in W, and the costs of ownership.
    double capital(const Draw& draw) const { return capital_usd(evaluation.result.parts, &draw); }
    double watts(const Draw& draw) const { return it_watts(evaluation.result.parts, &draw); }
    Ownership owning(const Draw& draw) const {
        return ownership(input.catalog, evaluation.result.parts.bill.gpus, &draw);
    }
    // What the study ranks by: USD per token, or capital times seconds, proportional to capital per bus bandwidth.
    double value(const Draw& draw, double seconds) const {
        const Ownership own = owning(draw);
        return evaluation.tokens > 0
                   ? own.total_usd(capital(draw), watts(draw)) * seconds / (evaluation.tokens * own.seconds)
                   : capital(draw) * seconds;
    }
    bool priced() const { return evaluation.result.parts.priced() && evaluation.result.parts.powered(); }

    // `value`, with the interval of what `make` returns for each draw.
    template <class Make> Range range(double value, const Make& make) const {
        std::vector<double> values;
        for (std::uint32_t k = 0; k < draws; ++k) { values.push_back(make(Draw{seed, k})); }
        return range_of(value, values);
    }
};

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

std::string_view to_string(StudyOrder order) { return enum_name<4>({"value", "time", "capital", "power"}, order); }

std::string_view to_string(Verdict verdict) {
    return enum_name<3>({"no difference that matters", "not told apart", "real"}, verdict);
}

Study study(const std::vector<StudyInput>& inputs, const StudyOptions& options, const Watch& watch) {
    assert(!inputs.empty() && options.draws >= 10);
    const Watch quiet{watch.stop, {}};
    std::vector<Evaluation> evaluations = parallel_map(
        inputs.size(), options.threads, [&](std::size_t i) { return evaluate(inputs[i], quiet, options.efficiency); });

    // Runs every design with each draw's constants; a constant that two designs share changes both in the same way.
    std::vector<std::vector<double>> seconds(inputs.size());
    const std::size_t runs = inputs.size() > 1 ? inputs.size() * options.draws : 0;
    std::size_t done = 0;
    parallel_map_ordered(
        runs, options.threads,
        [&](std::size_t i) {
            const StudyInput& input = inputs[i / options.draws];
            const Draw draw{options.seed, static_cast<std::uint32_t>(i % options.draws)};
            return seconds_of(simulate(single_point(input.scenario), drawn_catalog(input.catalog, draw), quiet));
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
        result.differences.push_back(difference(drawn[options.against_previous ? i - 1 : 0], drawn[i]));
    }
    for (const Evaluation& evaluation : evaluations) { result.designs.push_back(evaluation.result); }
    for (DesignResult& design : result.designs) {
        design.best =
            std::ranges::none_of(result.designs, [&](const DesignResult& other) { return beats(other, design); });
    }
    std::ranges::stable_sort(result.designs, {}, [&](const DesignResult& r) { return order_key(r, options.order); });
    return result;
}

std::vector<StudyInput> study_inputs(const std::vector<ReadDesign>& scenarios,
                                     const std::function<Catalog(const Scenario&)>& catalog_of) {
    std::vector<StudyInput> inputs;
    const auto add = [&](const std::string& name, Scenario scenario) {
        Catalog catalog = catalog_of(scenario);
        apply_prices(scenario, catalog);
        inputs.push_back({name, std::move(scenario), std::move(catalog)});
    };
    for (const ReadDesign& read : scenarios) {
        const Scenario scenario = read({});
        if (scenario.designs.empty()) { add(scenario.name, scenario); }
        for (const DesignSpec& design : scenario.designs) {
            std::vector<std::string> own;
            for (const auto& [path, value] : design.set) { own.push_back(std::string(path).append("=").append(value)); }
            try {
                add(design.name, read(own));
            } catch (const InputError& error) {
                throw InputError(place_of(scenario, "designs"), "design " + shown(design.name) + ": " + error.message);
            }
        }
    }
    for (const StudyInput& input : inputs) {
        if (std::ranges::count(inputs, input.name, &StudyInput::name) > 1) {
            throw DesignsAlike(error_message("two designs have one name", shown(input.name),
                                             "a `name` for each scenario and each of `designs`"));
        }
    }
    return inputs;
}

}  // namespace fabricast::inline studies
