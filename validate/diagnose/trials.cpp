#include "validate/diagnose/trials.hpp"

#include <array>
#include <cmath>

#include "base/percentile.hpp"
#include "base/random.hpp"
#include "sim/engines/common/unroll.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"

namespace fabricast::inline diagnosis {
namespace {

// Moves each fitted constant to a random value of its 80 % interval, uniform in logarithms.
Catalog moved(Catalog catalog, Random& random) {
    for (auto& [name, part] : catalog.parts) {
        if (!has_costs(part)) { continue; }
        for (auto& [path, figure] : part.figures) {
            const bool constant =
                (figure.origin == Origin::fitted || hardly_told(figure)) && !path.starts_with("data.");
            if (constant && figure.low80 > 0 && figure.high80 > figure.low80) {
                figure.value[0] = figure.low80 * std::pow(figure.high80 / figure.low80, random.uniform());
            }
        }
    }
    return catalog;
}

struct System {
    const char* name;
    const char* node;
    std::uint32_t nodes;
    const char* link;
    Collective collective;
};
constexpr std::array<System, 10> systems{
    {{"h100 all-reduce", "dgx-h100", 1, "", Collective::all_reduce},
     {"h100 all-gather", "dgx-h100", 1, "", Collective::all_gather},
     {"a100 all-reduce", "dgx-a100", 1, "", Collective::all_reduce},
     {"b200 all-reduce", "dgx-b200", 1, "", Collective::all_reduce},
     {"a100 pcie all-reduce", "a100-pcie-8x", 1, "", Collective::all_reduce},
     {"2 x h100 all-reduce", "dgx-h100", 2, "infiniband-ndr", Collective::all_reduce},
     {"4 x h100 all-reduce", "dgx-h100", 4, "infiniband-ndr", Collective::all_reduce},
     {"4 x h100 all-gather", "dgx-h100", 4, "infiniband-ndr", Collective::all_gather},
     {"8 x a100 all-reduce", "dgx-a100", 8, "infiniband-hdr", Collective::all_reduce},
     {"4 x a100 all-gather", "dgx-a100", 4, "infiniband-hdr", Collective::all_gather}}};

Scenario scenario_of(const System& system) {
    Scenario s;
    s.name = system.name;
    s.cluster.node = system.node;
    s.cluster.nodes = system.nodes;
    s.cluster.link = system.link;
    s.cluster.fabric_kind = system.nodes > 1 ? "rail-optimized" : "";
    collective_of(s).collective = system.collective;
    s.library.nccl = "2.27";
    s.engine = Analytic{};  // the engine that the judge uses
    return s;
}

std::vector<TimedRow> sweep() {
    std::vector<TimedRow> sizes;
    for (std::int64_t size = 8; size <= (std::int64_t{1} << 33); size *= 4) { sizes.push_back({Bytes{size}, 0}); }
    return sizes;
}

// Adds the noise between runs on the same hardware. Source: facts nccl-mechanisms.md §2, H100 and A100.
std::vector<TimedRow> noisy(const std::vector<double>& seconds, Random& random) {
    constexpr std::array<double, 3> noise{0.035, 0.03, 0.01};
    std::vector<TimedRow> rows = sweep();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double deviation = noise[static_cast<std::size_t>(regime_of(rows[i].size))];
        rows[i].seconds = seconds[i] * std::exp(deviation * random.normal());
    }
    return rows;
}

// The same collectives in another way than the judge's: with the flow engine, and message by message if there are few.
std::vector<double> another_curve(Suspect suspect, const Catalog& catalog) {
    suspect.scenario.engine = Flow{};
    const Scenario& s = suspect.scenario;
    const Fabric fabric(suspect.cluster);
    const Planner planner(collective_of(s), fabric, s.library, s.launch, catalog);
    const std::vector<LinkEvent> events = link_events(s, fabric, catalog);
    std::vector<double> seconds;
    for (const TimedRow& row : sweep()) {
        CallPlan plan = planner.plan(row.size);
        constexpr std::int64_t few = std::int64_t{8} << 20;
        if (row.size.count <= few) {
            Unrolled messages = unroll(fabric, plan.schedule);
            messages.schedule.kept.clear();
            for (const OpId op : plan.schedule.kept) {
                messages.schedule.kept.push_back(messages.ends[static_cast<std::uint32_t>(op)].finish);
            }
            plan.schedule = std::move(messages.schedule);
        }
        seconds.push_back(iteration_time(plan, replay(s.engine, fabric, plan.schedule, events)));
    }
    return seconds;
}

// Moves the slow part to the last node and gives it a degree between those that the judge tries first.
void elsewhere(Suspect& suspect, Random& random) {
    const std::string last = "node" + std::to_string(suspect.cluster.nodes - 1) + ".";
    const auto moved = [&](std::string name) {
        const std::string first = "node0.";
        for (std::size_t at = name.find(first); at != std::string::npos; at = name.find(first, at + last.size())) {
            name.replace(at, first.size(), last);
        }
        return name;
    };
    const double share = 0.08 + 0.5 * random.uniform();
    for (LinkChange& change : suspect.scenario.events) {
        change.device = moved(change.device);
        change.link = moved(change.link);
        std::ranges::transform(change.cable, change.cable.begin(), moved);
        change.share = share;
    }
}

bool would_show(const std::vector<double>& with, const std::vector<double>& without) {
    const std::vector<TimedRow> sizes = sweep();
    for (const Regime regime : all_regimes) {
        std::vector<double> changes;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (regime_of(sizes[i].size) == regime) { changes.push_back(with[i] / without[i] - 1); }
        }
        if (percentile(changes, 50).value_or(0) >= 0.15) { return true; }
    }
    return false;
}

Trial trial(const System& system, std::string_view fault, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    const Diagnosis d = diagnose(scenario_of(system), rows, catalog);
    Trial result{system.name, std::string(fault), d.verdict, {}, {}};
    for (std::size_t i = 0; i < d.named; ++i) {
        std::vector<std::string> names{std::string(d.ranked[i].cause->name)};
        for (const Cause* alike : d.ranked[i].alike) { names.emplace_back(alike->name); }
        if (i == 0) { result.first = names; }
        result.named.insert(result.named.end(), names.begin(), names.end());
    }
    return result;
}

}  // namespace

std::vector<Trial> diagnose_trials(const Catalog& catalog, int rounds) {
    std::vector<Trial> trials;
    Random random(1);
    for (int round = 0; round < rounds; ++round) {
        const Catalog other = moved(catalog, random);
        for (const System& system : systems) {
            const Scenario scenario = scenario_of(system);
            const Suspect healthy{scenario, build(scenario, other)};
            const std::vector<double> expected = another_curve(healthy, other);
            for (const Cause& cause : causes()) {
                Suspect suspect = healthy;
                const double degree = cause.degree == Degree::count ? 1 + std::floor(4 * random.uniform()) : 1;
                if (!cause.apply(suspect, degree)) { continue; }
                elsewhere(suspect, random);
                try {
                    const std::vector<double> seconds = another_curve(suspect, other);
                    if (would_show(seconds, expected)) {
                        trials.push_back(trial(system, cause.name, noisy(seconds, random), catalog));
                    }
                } catch (const PlanError&) {
                } catch (const ClusterError&) {
                } catch (const Unreachable&) {}
            }
            for (int i = 0; i < 4; ++i) { trials.push_back(trial(system, "", noisy(expected, random), catalog)); }
        }
    }
    return trials;
}

std::vector<NamedFigure> diagnose_figures(const std::vector<Trial>& trials) {
    // The share of the trials with a fault, or of the healthy ones, for which `holds`.
    const auto percent = [&](bool faulty, bool (*holds)(const Trial&)) {
        double part = 0;
        double whole = 0;
        for (const Trial& t : trials) {
            whole += t.fault.empty() != faulty ? 1 : 0;
            part += t.fault.empty() != faulty && holds(t) ? 1 : 0;
        }
        return whole > 0 ? 100 * part / whole : 0;
    };
    return {{"diagnose_top1_pct", percent(true, [](const Trial& t) { return t.right(); })},
            {"diagnose_false_alarm_pct", percent(false, [](const Trial& t) { return !t.right(); })},
            {"diagnose_named_pct", percent(true, [](const Trial& t) { return t.names_it(); })},
            {"diagnose_wrong_pct", percent(true, [](const Trial& t) { return t.claims() && !t.names_it(); })}};
}

}  // namespace fabricast::inline diagnosis
