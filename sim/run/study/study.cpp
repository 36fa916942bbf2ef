#include "sim/run/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <utility>

#include "base/enum_name.hpp"
#include "base/parallel_map_ordered.hpp"
#include "base/text.hpp"
#include "models/evidence.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/study/ownership.hpp"
#include "sim/run/study/prices.hpp"

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
    Ownership owning(const Draw& d) const { return ownership(input.catalog, evaluation.result.parts.bill.gpus, &d); }
    // The tokens of a step that failures and checkpoints leave, if the scenario asks for its goodput.
    double tokens(const Draw& draw) const {
        const std::optional<Range>& goodput = evaluation.result.goodput;
        return evaluation.tokens * (goodput ? std::min(at_deviation(*goodput, normal(draw, "goodput")), 1.0) : 1);
    }
    // What the study ranks by: USD per token, capital per bus bandwidth, or capital times seconds.
    double value(const Draw& draw, double seconds) const {
        if (evaluation.tokens > 0) {
            const Ownership own = owning(draw);
            return own.total_usd(capital(draw), watts(draw)) * seconds / (tokens(draw) * own.seconds);
        }
        return capital(draw) * seconds / (evaluation.busbw_seconds > 0 ? evaluation.busbw_seconds : 1);
    }
    std::string_view measure() const {
        return evaluation.tokens > 0          ? "cost of a token"
               : evaluation.busbw_seconds > 0 ? "capital per bus bandwidth"
                                              : "capital times time";
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
    const double tokens = drawn.evaluation.tokens * (result.goodput ? result.goodput->value : 1);
    const Ownership owning = ownership(drawn.input.catalog, result.parts.bill.gpus);
    const double seconds = result.time_s.value;
    if (result.parts.powered()) {
        const double watts = it_watts(result.parts);
        const auto all_watts = [&](const Draw& d) { return drawn.watts(d) * drawn.owning(d).pue; };
        result.it_watts = drawn.range(watts, [&](const Draw& d) { return drawn.watts(d); });
        result.all_watts = drawn.range(watts * owning.pue, all_watts);
        if (tokens > 0 && watts > 0) {
            result.tokens_per_joule = drawn.range(tokens / seconds / (watts * owning.pue), [&](const Draw& d) {
                return drawn.tokens(d) / (seconds * drawn.form(d)) / all_watts(d);
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
    d.priced = first.priced() && other.priced() && capital_usd(theirs.parts) > 0;
    if (d.priced) {
        d.capital = first.range(capital_usd(mine.parts) / capital_usd(theirs.parts) - 1,
                                [&](const Draw& k) { return other.capital(k) / first.capital(k) - 1; });
    }
    const auto [own, their] = std::pair{order_key(mine, StudyOrder::value), order_key(theirs, StudyOrder::value)};
    const bool alike = first.measure() == other.measure() && mine.goodput.has_value() == theirs.goodput.has_value() &&
                       (mine.tokens_per_s || mine.busbw || mine.work == theirs.work);
    if (d.priced && own && their && alike) {
        d.measure = first.measure();
        d.value = first.range(*own / *their - 1, [&](const Draw& k) {
            return other.value(k, other.seconds(k, b)) / first.value(k, first.seconds(k, a)) - 1;
        });
    }
    return d;
}

// A note for each of the scenarios' `prices` that no design uses.
std::vector<std::string> unused_prices(const std::vector<DrawnDesign>& designs) {
    std::vector<std::string> parts, notes;
    for (const DrawnDesign& design : designs) {
        merge_notes(parts, names_of(design.evaluation.result.parts.lines, &PartLine::part));
    }
    for (const DrawnDesign& stating : designs) {
        for (const auto& [key, text] : stating.input.scenario.prices) {
            const auto uses = [&key = key](const DrawnDesign& d) {
                return uses_price(d.evaluation.result.parts, d.input.catalog, key, d.evaluation.tokens > 0);
            };
            if (std::ranges::any_of(designs, uses)) { continue; }
            const bool owning = key.starts_with("data-centre/") || key.starts_with("ownership/");
            merge_notes(notes, {fmt::format("'prices.{}' changes nothing here: {}", key,
                                            owning ? "no design has a cost of tokens"
                                                   : "the bill has no such line, but " + joined(parts))});
        }
    }
    return notes;
}

// A note where the power of some designs' nodes is that of whole systems and of others the sum of parts.
std::vector<std::string> power_bases(const std::vector<DesignResult>& designs) {
    std::vector<std::string> whole, parts, systems;
    for (const DesignResult& design : designs) {
        if (!design.it_watts) { continue; }
        const std::string basis = power_basis(design.parts);
        (basis.empty() ? parts : whole).push_back(design.name);
        if (!basis.empty()) { merge_notes(systems, {basis}); }
    }
    if (whole.empty() || parts.empty()) { return {}; }
    return {
        fmt::format("IT power has two bases: of {} that of a whole system ({}), of {} the sum of its parts with an "
                    "estimated host (host-8gpu): a part of their difference is that",
                    joined(whole), joined(systems), joined(parts))};
}

}  // namespace

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
    static_cast<Ranking&>(result) = rank(result.designs, options.order);
    merge_notes(result.notes, power_bases(result.designs));
    merge_notes(result.notes, unused_prices(drawn));
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
            } catch (const InputError& error) { refuse_design(scenario, design.name, error); }
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
