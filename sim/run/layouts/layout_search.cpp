#include "sim/run/layouts/layout_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "sim/plan/training/memory.hpp"
#include "sim/plan/training/step_bound.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline layouts {

namespace {

// Layouts that are forecast before the search looks again whether it may end: its result must not depend on threads.
constexpr std::size_t batch = 16;

// A layout that is not forecast yet.
struct Candidate {
    LayoutChoice choice{};
    StepMemory memory;
    double least_s = 0;
};

const TrainingWorkload& training_of(const Scenario& scenario) { return std::get<TrainingWorkload>(scenario.workload); }

Scenario with_layout_of(Scenario scenario, const LayoutChoice& choice) {
    scenario.workload = with_layout(training_of(scenario), choice);
    return scenario;
}

// Plans of collectives that many layouts share, lent to one forecast at a time.
class PlanPool {
public:
    explicit PlanPool(const Scenario& scenario, const Catalog& catalog, const Fabric& fabric)
        : scenario_(scenario), catalog_(catalog), fabric_(fabric) {}

    template <class Use> auto lend(const Use& use) {
        std::unique_ptr<GroupPlans> plans = take();
        auto result = use(*plans);
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(plans));
        return result;
    }

private:
    std::unique_ptr<GroupPlans> take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) { return std::make_unique<GroupPlans>(fabric_, scenario_.library, catalog_, false); }
        std::unique_ptr<GroupPlans> plans = std::move(idle_.back());
        idle_.pop_back();
        return plans;
    }

    const Scenario& scenario_;
    const Catalog& catalog_;
    const Fabric& fabric_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<GroupPlans>> idle_;
};

class Search {
public:
    Search(const Scenario& scenario, const Catalog& catalog, const LayoutSearchOptions& options, const Watch& watch)
        : catalog_(catalog),
          options_(options),
          watch_(watch),
          fabric_(build(scenario, catalog)),
          scenario_(with_engine(scenario, fabric_, catalog, 1)),
          model_(model_shape(catalog, training_of(scenario))),
          pool_(scenario_, catalog_, fabric_) {
        result_.scenario = scenario.name;
        result_.own = choice_of(training_of(scenario_));
        result_.gpu = fabric_.node().gpu.name;
        result_.notes = scenario.notes;
    }

    LayoutSearch run() {
        try {
            find_candidates();
            forecast_candidates();
            result_.best = describe(ranked(), watch_);
            add_written();
            judge();
        } catch (const Stopped&) {
            result_.stopped = true;
            if (result_.best.empty()) { result_.best = describe(ranked(), {}); }
        }
        return std::move(result_);
    }

private:
    double has() const {
        return static_cast<double>(smallest_gpu(fabric_).memory.count) * (1 - options_.memory_margin);
    }
    bool too_large(const StepMemory& memory) const { return likely_bytes(memory) > has(); }

    Candidate candidate(const LayoutChoice& choice, std::uint32_t gpus, bool bounded) const {
        const TrainingWorkload workload = with_layout(training_of(scenario_), choice);
        const Layout layout = make_layout(workload, model_, gpus, fabric_.gpus_per_node());
        const ComputeCosts costs(catalog_, fabric_.node().gpu, workload, gpus);
        const LayerCosts step{costs, model_, workload, layout};
        return {choice, step_memory(step), bounded ? least_step_seconds(step, fabric_) : 0};
    }

    std::vector<Candidate> candidates_on(std::uint32_t nodes, bool bounded) const {
        const TrainingWorkload& workload = training_of(scenario_);
        const std::uint32_t gpus = nodes * fabric_.gpus_per_node();
        const bool unfused = ComputeCosts(catalog_, fabric_.node().gpu, workload, gpus).unfused_attention();
        const std::vector<LayoutChoice> space =
            layout_space({workload, model_, gpus, fabric_.gpus_per_node(), unfused}, options_.allowed);
        return parallel_map(space.size(), options_.threads, [&](std::size_t i) {
            stop_if_asked(watch_);
            return candidate(space[i], gpus, bounded);
        });
    }

    // Every layout that fits the memory with three chances in four, the least bound first.
    void find_candidates() {
        candidates_ = candidates_on(fabric_.node_count(), true);
        result_.layouts = candidates_.size();
        if (training_of(scenario_).check_memory) {
            const auto least =
                std::ranges::min_element(candidates_, {}, [](const Candidate& c) { return likely_bytes(c.memory); });
            const Candidate nearest = *least;
            result_.too_large = std::erase_if(candidates_, [&](const Candidate& c) { return too_large(c.memory); });
            if (candidates_.empty()) { refuse(nearest); }
        }
        std::ranges::stable_sort(candidates_, {}, &Candidate::least_s);
    }

    // A layout that fits the memory of so many nodes.
    std::optional<Candidate> fitting_on(std::uint32_t nodes) const {
        try {
            const std::vector<Candidate> all = candidates_on(nodes, false);
            const auto found = std::ranges::find_if(all, [&](const Candidate& c) { return !too_large(c.memory); });
            return found == all.end() ? std::nullopt : std::optional(*found);
        } catch (const LayoutError&) {
            return std::nullopt;  // the batch is none of so many GPUs
        }
    }

    // Nothing fits: says what comes nearest, and on how many more nodes a layout would fit. Between two doublings, of
    // which only the second fits, it bisects.
    [[noreturn]] void refuse(const Candidate& nearest) const {
        constexpr std::uint32_t most_times = 64;
        std::uint32_t too_few = fabric_.node_count();
        std::uint32_t enough = too_few;
        std::optional<Candidate> found;
        while (!found && enough < most_times * fabric_.node_count()) {
            too_few = enough;
            enough *= 2;
            found = fitting_on(enough);
        }
        while (found && enough - too_few > 1) {
            const std::uint32_t middle = too_few + (enough - too_few) / 2;
            const std::optional<Candidate> one = fitting_on(middle);
            (one ? enough : too_few) = middle;
            found = one ? one : found;
        }
        const std::string more = found ? fmt::format("on {} nodes {} would fit, {:.1f} GB", enough,
                                                     words_of(found->choice), found->memory.total() * 1e-9)
                                       : fmt::format("none on 2, 4 ... {} times as many nodes either", most_times);
        fail_at(scenario_, "workload",
                fmt::format("no layout fits the memory: of {} the one that needs least, {}, takes {:.1f} GB, or {:.1f} "
                            "GB with three chances in four, of the {:.1f} GB that may be filled on '{}'; {}",
                            result_.layouts, words_of(nearest.choice), nearest.memory.total() * 1e-9,
                            likely_bytes(nearest.memory) * 1e-9, has() * 1e-9, result_.gpu, more));
    }

    StepRow forecast_of(const LayoutChoice& choice, const Watch& watch) {
        const Job job(with_layout_of(scenario_, choice), catalog_, fabric_);
        return pool_.lend([&](GroupPlans& groups) {
            return forecast(job, Bytes{}, {watch.stop, {}}, {false, false, &groups}).steps.front();
        });
    }

    LayoutOutcome outcome_of(const LayoutChoice& choice) {
        stop_if_asked(watch_);
        if (const auto known = options_.known.find(words_of(choice)); known != options_.known.end()) {
            return known->second;
        }
        try {
            StepRow row = forecast_of(choice, watch_);
            return {row.step_time_s, "", std::move(row)};
        } catch (const Error& error) {
            if (error.exit_code != ExitCode::bad_input && error.exit_code != ExitCode::cannot_end) { throw; }
            return {0, error.what()};
        }
    }

    // The time that the rest must fall below to be among the best.
    double to_beat() const {
        constexpr double none = std::numeric_limits<double>::infinity();
        return options_.exhaustive || times_.size() < options_.best
                   ? none
                   : std::next(times_.begin(), static_cast<std::ptrdiff_t>(options_.best) - 1)->first;
    }

    void take(const LayoutChoice& choice, const LayoutOutcome& outcome) {
        if (options_.finished && !options_.known.contains(words_of(choice))) {
            options_.finished(words_of(choice), outcome);
        }
        if (!outcome.refused.empty()) {
            ++result_.refused;
            first_refusal_ = first_refusal_.empty() ? outcome.refused : first_refusal_;
            return;
        }
        ++result_.forecast;
        times_.emplace(outcome.seconds, choice);
        if (outcome.row) { rows_[choice] = *outcome.row; }
    }

    void forecast_candidates() {
        for (std::size_t first = 0; first < candidates_.size();) {
            const auto beats = [&](const Candidate& c) { return c.least_s <= to_beat(); };
            const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(first);
            const auto may_be_best =
                static_cast<std::size_t>(std::partition_point(begin, candidates_.end(), beats) - begin);
            const std::size_t count = std::min(batch, may_be_best);
            if (count == 0) { break; }
            std::size_t done = 0;
            parallel_map_ordered(
                count, options_.threads, [&](std::size_t i) { return outcome_of(candidates_[first + i].choice); },
                [&](const LayoutOutcome& outcome) {
                    take(candidates_[first + done].choice, outcome);
                    ++done;
                    if (watch_.progress) {
                        watch_.progress(static_cast<double>(first + done) / static_cast<double>(first + may_be_best));
                    }
                });
            first += count;
        }
        if (times_.empty()) { fail_at(scenario_, "workload", first_refusal_); }
    }

    // The best so far; equal times in the order of the layouts.
    std::vector<LayoutChoice> ranked() const {
        std::vector<LayoutChoice> choices;
        for (const auto& [seconds, choice] : times_) {
            if (choices.size() < options_.best) { choices.push_back(choice); }
        }
        return choices;
    }

    FoundLayout described(const LayoutChoice& choice, const Watch& watch) {
        const auto known = rows_.find(choice);
        FoundLayout found{.choice = choice, .row = known != rows_.end() ? known->second : forecast_of(choice, watch)};
        found.data = found.row.data_ranks;
        const StepMemory memory = candidate(choice, fabric_.gpu_count(), false).memory;
        const auto all = static_cast<double>(smallest_gpu(fabric_).memory.count);
        found.memory_share = memory.total() / all;
        found.may_not_fit = memory.high80 > all;
        found.left_out = training_of(scenario_).check_memory && too_large(memory);
        return found;
    }

    std::vector<FoundLayout> describe(const std::vector<LayoutChoice>& choices, const Watch& watch) {
        std::vector<FoundLayout> all;
        for (const LayoutChoice& choice : choices) { all.push_back(described(choice, watch)); }
        return all;
    }

    void add_written() {
        if (std::ranges::find(result_.best, result_.own, &FoundLayout::choice) != result_.best.end()) { return; }
        try {
            result_.written = described(result_.own, watch_);
        } catch (const PlanError& error) {
            result_.notes.push_back(std::string("the layout as written does not run: ") + error.what());
        }
    }

    // Judges each of the best against the next as a study judges two designs.
    void judge() {
        if (options_.draws == 0 || result_.best.size() < 2) { return; }
        std::vector<StudyInput> inputs;
        for (const FoundLayout& found : result_.best) {
            inputs.push_back({words_of(found.choice), with_layout_of(scenario_, found.choice), catalog_});
        }
        StudyOptions how{options_.draws, scenario_.seed, options_.threads, StudyOrder::time};
        how.against_previous = true;
        how.efficiency = false;
        const Study judged = study(inputs, how, watch_);
        for (std::size_t i = 0; i < judged.differences.size(); ++i) { result_.best[i].to_next = judged.differences[i]; }
    }

    const Catalog& catalog_;
    const LayoutSearchOptions& options_;
    const Watch& watch_;
    Fabric fabric_;
    Scenario scenario_;
    ModelShape model_;
    PlanPool pool_;
    std::vector<Candidate> candidates_;
    std::multimap<double, LayoutChoice> times_;  // of the forecasts so far
    std::map<LayoutChoice, StepRow> rows_;       // of those that this search made
    std::string first_refusal_;
    LayoutSearch result_;
};

}  // namespace

LayoutSearch search_layouts(const Scenario& scenario, const Catalog& catalog, const LayoutSearchOptions& options,
                            const Watch& watch) {
    if (!std::holds_alternative<TrainingWorkload>(scenario.workload)) {
        fail_at(scenario, "workload.kind", "layouts are of training steps (accepted: kind: training)");
    }
    if (training_of(scenario).global_batch == 0) {
        fail_at(scenario, "workload",
                "layouts are held side by side at one batch (accepted: global_batch beside the model)");
    }
    return pointing_into(scenario, [&] { return Search(single_point(scenario), catalog, options, watch).run(); });
}

}  // namespace fabricast::inline layouts
