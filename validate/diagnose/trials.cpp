#include "validate/diagnose/trials.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/collectives/plan.hpp"
#include "sim/scenario/build.hpp"
#include "validate/diagnose/sensitivity.hpp"
#include "validate/random.hpp"

namespace fabricast {
namespace {

// Each fitted constant anywhere in its 80 % interval, in logarithms.
Catalog moved(Catalog catalog, Random& random) {
    for (auto& [name, part] : catalog.parts) {
        if (part.kind != "kernel" && part.kind != "transport" && part.kind != "launch") {
            continue;
        }
        for (auto& [path, figure] : part.figures) {
            const bool constant =
                figure.origin == Origin::fitted && !path.starts_with("data.") && !path.starts_with("residual.");
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
    s.engine = Analytic{};
    return s;
}

std::vector<TimedRow> sweep() {
    std::vector<TimedRow> sizes;
    for (std::int64_t size = 8; size <= (std::int64_t{1} << 33); size *= 4) {
        sizes.push_back({Bytes{size}, 0});
    }
    return sizes;
}

// Noise of one hardware between runs: facts nccl-mechanisms.md §2, H100 and A100 of different sites.
std::vector<TimedRow> noisy(const std::vector<double>& seconds, Random& random) {
    constexpr std::array<double, 3> noise{0.035, 0.03, 0.01};
    std::vector<TimedRow> rows = sweep();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double deviation = noise[static_cast<std::size_t>(regime_of(rows[i].size))];
        rows[i].seconds = seconds[i] * std::exp(deviation * random.normal());
    }
    return rows;
}

bool would_show(const std::vector<double>& with, const std::vector<double>& without) {
    const std::vector<TimedRow> sizes = sweep();
    for (const Regime regime : all_regimes) {
        std::vector<double> changes;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (regime_of(sizes[i].size) == regime) {
                changes.push_back(with[i] / without[i] - 1);
            }
        }
        if (percentile(changes, 50).value_or(0) >= 0.15) {
            return true;
        }
    }
    return false;
}

Trial trial(const System& system, std::string_view fault, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    const Diagnosis d = diagnose(scenario_of(system), rows, catalog);
    Trial result{system.name, std::string(fault), d.verdict, {}};
    if (!d.ranked.empty()) {
        result.first.emplace_back(d.ranked.front().cause->name);
        for (const Cause* alike : d.ranked.front().alike) {
            result.first.emplace_back(alike->name);
        }
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
            const std::vector<double> expected = curve(healthy, sweep(), other);
            for (const Cause& cause : causes()) {
                Suspect suspect = healthy;
                if (!cause.apply(suspect)) {
                    continue;
                }
                try {
                    const std::vector<double> seconds = curve(suspect, sweep(), other);
                    if (would_show(seconds, expected)) {
                        trials.push_back(trial(system, cause.name, noisy(seconds, random), catalog));
                    }
                } catch (const PlanError&) {
                } catch (const ClusterError&) {
                } catch (const Unreachable&) {
                }
            }
            for (int i = 0; i < 4; ++i) {
                trials.push_back(trial(system, "", noisy(expected, random), catalog));
            }
        }
    }
    return trials;
}

std::vector<AccuracyFigure> diagnose_figures(const std::vector<Trial>& trials) {
    double faults = 0;
    double found = 0;
    double healthy = 0;
    double alarms = 0;
    for (const Trial& t : trials) {
        (t.fault.empty() ? healthy : faults) += 1;
        found += !t.fault.empty() && t.right() ? 1 : 0;
        alarms += t.fault.empty() && !t.right() ? 1 : 0;
    }
    return {{"diagnose_top1_pct", faults > 0 ? 100 * found / faults : 0},
            {"diagnose_false_alarm_pct", healthy > 0 ? 100 * alarms / healthy : 0}};
}

}  // namespace fabricast
