#include "sim/run/best/best_choices.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "base/text.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline best {

namespace {

constexpr std::array channel_limits = {"NCCL_MAX_NCHANNELS", "NCCL_MAX_NRINGS", "NCCL_MAX_CTAS"};

Scenario with_setting(Scenario scenario, const Setting& setting) {
    auto& env = scenario.library.env;
    env["NCCL_ALGO"] = setting.algorithm->name;
    // By what it is not: NCCL takes LL128 where it is not safe only if it is asked for by name.
    std::vector<std::string_view> others;
    for (const nccl::Proto protocol : nccl::every_proto) {
        if (protocol != setting.protocol) { others.push_back(to_string(protocol)); }
    }
    env["NCCL_PROTO"] = fmt::format("^{}", fmt::join(others, ","));
    if (setting.channels > 0) {
        for (const char* name : channel_limits) { env.erase(name); }
        env["NCCL_MAX_NCHANNELS"] = std::to_string(setting.channels);
        // NVLS, where it is on, gives every algorithm at least its own channels (ncclTopoPostset).
        env["NCCL_NVLS_ENABLE"] = "0";
    }
    return scenario;
}

const std::vector<Bytes>& sizes(const Scenario& scenario) { return *sizes_of(scenario.workload); }

// Nothing where this setting cannot run.
std::optional<Row> row_of(const Job& job, Bytes size, const Watch& watch) {
    try {
        return forecast(job, size, watch, {.judged = false}).rows.back();
    } catch (const PlanError&) { return std::nullopt; }
}

// Nothing where no size can run.
std::unique_ptr<Job> prepare(Scenario scenario, const Fabric& built, const Catalog& catalog) {
    try {
        return std::make_unique<Job>(std::move(scenario), catalog, built);
    } catch (const PlanError&) { return nullptr; }
}

// One for each size; those that cannot run have no channels.
using Times = std::vector<Choice>;

Times times_of(const Setting& setting, const Scenario& scenario, const Fabric& built, const Catalog& catalog,
               const Watch& watch) {
    Times times(sizes(scenario).size());
    const std::unique_ptr<Job> job = prepare(with_setting(scenario, setting), built, catalog);
    for (std::size_t i = 0; job && i < times.size(); ++i) {
        stop_if_asked(watch);
        if (const auto row = row_of(*job, sizes(scenario)[i], watch)) {
            times[i] = {{setting.algorithm, setting.protocol, row->channels}, row->time_s};
        }
    }
    return times;
}

std::vector<Setting> without_limit() {
    std::vector<Setting> settings;
    for (const nccl::AlgorithmModel* algorithm : nccl::all_algorithms()) {
        for (const nccl::Proto protocol : nccl::every_proto) {
            if (protocol == nccl::Proto::simple || !algorithm->simple_only) {
                settings.push_back({algorithm, protocol});
            }
        }
    }
    return settings;
}

// The same with fewer channels than it had in any size: each power of two below.
std::vector<Setting> with_fewer(const Setting& setting, const Times& times) {
    int most = 0;
    for (const Choice& choice : times) { most = std::max(most, choice.setting.channels); }
    std::vector<Setting> settings;
    for (int channels = 1; channels < most; channels *= 2) {
        settings.push_back({setting.algorithm, setting.protocol, channels});
    }
    return settings;
}

void check(const Scenario& scenario) {
    const auto* workload = std::get_if<CollectiveWorkload>(&scenario.workload);
    if (workload == nullptr) { fail_at(scenario, "workload.kind", "only for collectives are choices compared"); }
    if (!nccl_chooses(*workload)) {
        fail_at(scenario, "workload",
                "NCCL has no choice of algorithm here (accepted: all_reduce, all_gather, reduce_scatter, broadcast, "
                "reduce, with NCCL's own algorithms)");
    }
    const bool forced = workload->algorithm != Algorithm::automatic || workload->protocol != Protocol::automatic ||
                        scenario.library.env.contains("NCCL_ALGO") || scenario.library.env.contains("NCCL_PROTO");
    if (forced) {
        fail_at(scenario, "workload",
                "every algorithm and protocol is compared, so none may be forced (accepted: auto)");
    }
}

// The choices of each size, of equal ones the first, the fastest in front.
std::vector<BestRow> rows_of(const Scenario& scenario, const std::vector<Times>& all) {
    std::vector<BestRow> rows;
    for (std::size_t i = 0; i < sizes(scenario).size(); ++i) {
        BestRow& row = rows.emplace_back();
        row.size = sizes(scenario)[i];
        for (const Times& times : all) {
            const Setting& setting = times[i].setting;
            const bool seen = std::ranges::find(row.choices, setting, &Choice::setting) != row.choices.end();
            if (setting.channels > 0 && !seen) { row.choices.push_back(times[i]); }
        }
        std::ranges::stable_sort(row.choices, {}, &Choice::time_s);
    }
    return rows;
}

// The setting that a row of a forecast says NCCL took.
bool is_of(const Setting& setting, const Row& own) {
    return to_string(setting.algorithm->word) == own.algorithm && setting.channels == own.channels &&
           lower_case(to_string(setting.protocol)) == own.protocol;
}

// Finds NCCL's own choice among the row's: of those with its words the nearest in time. Precondition: there is one,
// since what NCCL takes by itself it takes when it is asked to.
void mark_default(BestRow& row, const Row& own) {
    const auto distance = [&](const Choice& c) {
        return is_of(c.setting, own) ? std::abs(c.time_s - own.time_s) : std::numeric_limits<double>::infinity();
    };
    const auto nearest = std::ranges::min_element(row.choices, {}, distance);
    if (nearest == row.choices.end() || !is_of(nearest->setting, own)) {
        throw std::logic_error(fmt::format("NCCL takes {} {} x{}, which is not among the choices", own.algorithm,
                                           own.protocol, own.channels));
    }
    // Of equals the first counts as NCCL's: there is nothing to gain.
    row.chosen = nearest->time_s <= row.fastest().time_s ? 0 : static_cast<std::size_t>(nearest - row.choices.begin());
}

// The gains of all rows with one draw of the constants; nothing for a row whose default is the fastest.
std::vector<std::optional<double>> drawn_gains(const std::vector<BestRow>& rows, const Scenario& scenario,
                                               const Catalog& catalog, const Draw& draw, const Watch& watch) {
    const Catalog drawn = drawn_catalog(catalog, draw);
    const Fabric built(build(scenario, drawn));
    std::vector<std::pair<Setting, std::unique_ptr<Job>>> all;
    const auto prepared = [&](const Setting& setting) -> const Job* {
        const auto known = std::ranges::find(all, setting, [](const auto& one) { return one.first; });
        if (known != all.end()) { return known->second.get(); }
        return all.emplace_back(setting, prepare(with_setting(scenario, setting), built, drawn)).second.get();
    };
    const auto seconds = [&](const Choice& choice, Bytes size) {
        const Job* job = prepared(choice.setting);
        const std::optional<Row> row = job ? row_of(*job, size, watch) : std::nullopt;
        return row ? row->time_s : choice.time_s;
    };
    std::vector<std::optional<double>> gains;
    for (const BestRow& row : rows) {
        stop_if_asked(watch);
        gains.push_back(
            row.chosen == 0
                ? std::nullopt
                : std::optional(seconds(row.default_choice(), row.size) / seconds(row.fastest(), row.size) - 1));
    }
    return gains;
}

// Every choice at every size: first with all channels that the search finds, then with fewer.
std::vector<Times> all_times(const Scenario& scenario, const Fabric& built, const Catalog& catalog, std::size_t threads,
                             const Watch& watch) {
    const auto times = [&](const std::vector<Setting>& settings) {
        return parallel_map(settings.size(), threads,
                            [&](std::size_t i) { return times_of(settings[i], scenario, built, catalog, watch); });
    };
    const std::vector<Setting> settings = without_limit();
    std::vector<Times> all = times(settings);
    std::vector<Setting> fewer;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        std::ranges::copy(with_fewer(settings[i], all[i]), std::back_inserter(fewer));
    }
    std::ranges::move(times(fewer), std::back_inserter(all));
    return all;
}

// The drawn error of the default's time over the fastest's.
double apart(const BestRow& row, const Catalog& catalog, const Draw& draw) {
    const Setting &own = row.default_choice().setting, &other = row.fastest().setting;
    if (own.algorithm == other.algorithm && own.protocol == other.protocol) { return 1; }
    const Range error = study_interval(catalog, fmt::format("paired.{}", regime_of(row.size)));
    const std::string pair = fmt::format("{}{}{}{}", own.algorithm->key, to_string(own.protocol), other.algorithm->key,
                                         to_string(other.protocol));
    return at_deviation(error, normal(draw, pair));
}

void add_intervals(std::vector<BestRow>& rows, const Scenario& scenario, const Catalog& catalog,
                   const BestOptions& options, const Watch& watch) {
    std::vector<std::vector<double>> gains(rows.size());
    const Watch quiet{watch.stop, {}};
    const auto draw = [&](std::size_t d) {
        return drawn_gains(rows, scenario, catalog, {options.seed, static_cast<std::uint32_t>(d)}, quiet);
    };
    std::size_t done = 0;
    parallel_map_ordered(options.draws, options.threads, draw, [&](const std::vector<std::optional<double>>& one) {
        const Draw drawn{options.seed, static_cast<std::uint32_t>(done)};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (one[i]) { gains[i].push_back((1 + *one[i]) * apart(rows[i], catalog, drawn) - 1); }
        }
        if (watch.progress) { watch.progress(static_cast<double>(++done) / options.draws); }
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!gains[i].empty()) { rows[i].gain = range_of(rows[i].gain.value, gains[i]); }
    }
}

}  // namespace

std::vector<BestRow> best_choices(const Scenario& written, const Catalog& catalog, const BestOptions& options,
                                  const Watch& watch) {
    return pointing_into(written, [&] {
        check(written);
        const Fabric built(build(written, catalog));
        const Scenario scenario = with_engine(written, built, catalog, options.threads);
        const Watch quiet{watch.stop, {}};
        std::vector<BestRow> rows = rows_of(scenario, all_times(scenario, built, catalog, options.threads, quiet));
        const Job own(scenario, catalog, built);
        for (BestRow& row : rows) {
            // Throws what a run would where nothing can run.
            mark_default(row, forecast(own, row.size, quiet, {.judged = false}).rows.back());
            row.gain.value = row.default_choice().time_s / row.fastest().time_s - 1;
        }
        add_intervals(rows, scenario, catalog, options, watch);
        return rows;
    });
}

}  // namespace fabricast::inline best
