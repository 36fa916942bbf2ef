#include "sim/run/jobs/job_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/engines/engine.hpp"
#include "sim/plan/joint_schedule.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline jobs {

namespace {

// Calls that are run alone; and for so many calls of the slowest job all others go on beside it, at least.
constexpr std::size_t calls_alone = 4, calls_together = 4;
constexpr std::size_t most_calls = 4096;
// Slower by less than this is no slowdown: it is what the first calls differ from later ones.
constexpr double matters = 1.005;

void refuse_unfit(const Scenario& scenario, const JobSpec& job) {
    if (std::holds_alternative<TransferWorkload>(scenario.workload)) {
        throw InputError(job.place, error_message("a transfer is no job", shown(job.name),
                                                  "a collective, a training step, a trace"));
    }
    const std::vector<Bytes>* sizes = sizes_of(scenario.workload);
    if (sizes != nullptr && sizes->size() != 1) {
        fail_at(scenario, "workload.sizes", "a job runs one size", plural(sizes->size(), "size"), "sizes: [1 GiB]");
    }
}

// A job with its planner, on its nodes of the whole fabric.
struct Prepared {
    Prepared(const Scenario& whole, const JobSpec& spec, const Catalog& catalog, const Fabric& built)
        : scenario(scenario_of_job(whole, spec)),
          nodes(node_numbers(scenario, "cluster.place", spec.nodes)),
          job((refuse_unfit(scenario, spec), scenario), catalog,
              pointing_into(scenario, [&] { return built.on(nodes); })) {}

    // Planned with so many calls back to back.
    Plan plan(std::size_t calls, bool judged, const Watch& watch) const {
        const std::vector<Bytes>* sizes = sizes_of(scenario.workload);
        PlanOptions options{judged, watch};
        options.iterations = static_cast<int>(calls);
        return pointing_into(scenario,
                             [&] { return job.planner(sizes == nullptr ? Bytes{} : sizes->front(), options); });
    }

    const Scenario scenario;
    const std::vector<std::uint32_t> nodes;
    const run::Job job;
};

// When each call of a job ended, in seconds.
using Ends = std::vector<double>;

// Calls that were done at `time`, with the share of the one that runs.
double calls_at(const Ends& ends, double time) {
    const auto next = std::ranges::upper_bound(ends, time);
    if (next == ends.end()) { return static_cast<double>(ends.size()); }
    const double begin = next == ends.begin() ? 0 : *(next - 1);
    return static_cast<double>(next - ends.begin()) + (time - begin) / (*next - begin);
}

class Mixer {
public:
    Mixer(const Scenario& scenario, const Catalog& catalog, std::size_t threads, const Watch& watch)
        : built_(build(scenario, catalog)),
          scenario_(with_engine(scenario, built_, catalog, 1)),
          threads_(threads_for(scenario_.engine, threads)),
          watch_(watch) {
        const EngineTraits& engine = traits_of(scenario_.engine);
        if (engine.lower_bound) {
            fail_at(scenario_, "engine", fmt::format("engine '{}' lets jobs pass through each other", engine.name), "",
                    "flow, packet, simgrid");
        }
        for (const JobSpec& spec : scenario_.jobs) {
            jobs_.push_back(std::make_unique<const Prepared>(scenario_, spec, catalog, built_));
        }
        refuse_shared_nodes();
    }

    JobMix mix() {
        JobMix out;
        alone_ = parallel_map(jobs_.size(), threads_, [&](std::size_t i) { return alone(i); });
        for (std::size_t i = 0; i < jobs_.size(); ++i) { out.jobs.push_back(described(i, out)); }
        std::vector<std::size_t> all(jobs_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        std::vector<std::vector<std::size_t>> groups = {all};  // and every two
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            for (std::size_t j = 0; j < i && jobs_.size() > 2; ++j) { groups.push_back({j, i}); }
        }
        const auto seconds = parallel_map(groups.size(), threads_, [&](std::size_t g) { return together(groups[g]); });
        for (std::size_t g = 0; g < groups.size(); ++g) { take(groups[g], seconds[g], out); }
        for (std::size_t i = 0; i < jobs_.size(); ++i) { blame(i, out); }
        return out;
    }

private:
    struct Alone {
        Plan plan;
        double seconds = 0;
        std::vector<float> busy;
    };

    void refuse_shared_nodes() const {
        std::vector<const Prepared*> on(built_.node_count());
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            for (const std::uint32_t node : jobs_[i]->nodes) {
                if (on[node] != nullptr) {
                    throw InputError(scenario_.jobs[i].place,
                                     fmt::format("node {} is of job '{}' already; nodes are not shared", node,
                                                 on[node]->scenario.name));
                }
                on[node] = jobs_[i].get();
            }
        }
    }

    Timeline replayed(const JointSchedule& joint) const {
        return pointing_into(scenario_, [&] { return replay(scenario_.engine, built_, joint.schedule, {}, watch_); });
    }

    static Ends ends_of(const JointSchedule& joint, std::size_t job, const Timeline& timeline) {
        Ends ends;
        for (const std::size_t kept : joint.ends[job]) {
            ends.push_back(to_seconds(timeline.kept[kept].finish - Time{}));
        }
        return ends;
    }

    Alone alone(std::size_t i) const {
        Alone out{jobs_[i]->plan(calls_alone, true, watch_), 0, {}};
        const JointSchedule joint = joint_schedule({{out.plan, jobs_[i]->job.fabric, calls_alone}});
        Timeline timeline = replayed(joint);
        const Ends ends = ends_of(joint, 0, timeline);
        out.seconds = (ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
        // Of the time of one call after another, not of the whole replay, which begins with a launch.
        const double steady = to_seconds(timeline.makespan - Time{}) / (out.seconds * static_cast<double>(ends.size()));
        out.busy = std::move(timeline.busy);
        for (float& busy : out.busy) { busy *= static_cast<float>(steady); }
        return out;
    }

    MixedJob described(std::size_t i, JobMix& out) const {
        const Plan& plan = alone_[i].plan;
        merge_figures(out.figures, plan.figures);
        merge_notes(out.notes, plan.notes);
        merge_notes(out.evidence_notes, plan.evidence_notes);
        const Fabric& fabric = jobs_[i]->job.fabric;
        MixedJob job;
        job.name = jobs_[i]->scenario.name;
        job.what = plan.what;
        job.nodes = fabric.node_count();
        job.gpus = fabric.gpu_count();
        job.alone_s = job.together_s = alone_[i].seconds;
        job.beside.assign(jobs_.size(), 1);
        return job;
    }

    // Seconds of a call of each of these jobs while all of them run. Each has so many calls that none ends before the
    // slowest has had some; what counts is from that one's first end to its last before any job runs out.
    std::vector<double> together(const std::vector<std::size_t>& group) const {
        const auto slowest = std::ranges::max(group, {}, [&](std::size_t i) { return alone_[i].seconds; });
        for (std::size_t rounds = calls_together;; rounds *= 2) {
            std::vector<Plan> plans;
            std::vector<std::size_t> calls;
            for (const std::size_t i : group) {
                calls.push_back(calls_beside(i, slowest, rounds));
                plans.push_back(jobs_[i]->plan(calls.back(), false, watch_));
            }
            std::vector<JobSide> sides;
            for (std::size_t k = 0; k < group.size(); ++k) {
                sides.push_back({plans[k], jobs_[group[k]]->job.fabric, calls[k]});
            }
            const JointSchedule joint = joint_schedule(sides);
            const Timeline timeline = replayed(joint);
            std::vector<Ends> ends;
            double first_out = INFINITY;
            for (std::size_t k = 0; k < group.size(); ++k) {
                ends.push_back(ends_of(joint, k, timeline));
                first_out = std::min(first_out, ends.back().back());
            }
            const Ends& clock = ends[static_cast<std::size_t>(std::ranges::find(group, slowest) - group.begin())];
            const auto whole = std::ranges::upper_bound(clock, first_out) - clock.begin();
            if (whole < 3) { continue; }
            const double from = clock.front(), to = clock[static_cast<std::size_t>(whole - 1)];
            std::vector<double> seconds;
            for (const Ends& own : ends) { seconds.push_back((to - from) / (calls_at(own, to) - calls_at(own, from))); }
            return seconds;
        }
    }

    std::size_t calls_beside(std::size_t i, std::size_t slowest, std::size_t rounds) const {
        const double calls = std::ceil(alone_[slowest].seconds / alone_[i].seconds * static_cast<double>(rounds)) + 2;
        if (calls > static_cast<double>(most_calls)) {
            throw InputError(scenario_.jobs[i].place,
                             error_message(fmt::format("job '{}' is too short beside '{}'", jobs_[i]->scenario.name,
                                                       jobs_[slowest]->scenario.name),
                                           fmt::format("{} beside {}", text(alone_[i].seconds, Dimension::time),
                                                       text(alone_[slowest].seconds, Dimension::time)),
                                           fmt::format("at most {} calls of it while the other has {}", most_calls,
                                                       calls_together)));
        }
        return static_cast<std::size_t>(calls);
    }

    void take(const std::vector<std::size_t>& group, const std::vector<double>& seconds, JobMix& out) const {
        const bool all = group.size() == jobs_.size();
        for (std::size_t k = 0; k < group.size(); ++k) {
            MixedJob& job = out.jobs[group[k]];
            const double slowdown = seconds[k] / job.alone_s;
            if (all) {
                job.together_s = seconds[k];
                job.slowdown = slowdown;
            }
            if (group.size() == 2) { job.beside[group[1 - k]] = slowdown; }
        }
    }

    // The job beside which this one is slowest, and the link of both that they would fill most.
    void blame(std::size_t i, JobMix& out) const {
        MixedJob& job = out.jobs[i];
        const auto worst = static_cast<std::size_t>(std::ranges::max_element(job.beside) - job.beside.begin());
        if (worst == i || job.beside[worst] < matters) { return; }
        job.blamed = out.jobs[worst].name;
        const std::vector<float>&own = alone_[i].busy, &other = alone_[worst].busy;
        if (own.empty()) {
            job.meeting = fmt::format("not known: the fabric has more than {} links", links_kept);
            return;
        }
        float most = 0;
        std::optional<LinkId> link;
        for (std::uint32_t l = 0; l < own.size(); ++l) {
            if (own[l] > 0 && other[l] > 0 && own[l] + other[l] > most) {
                most = own[l] + other[l];
                link = LinkId{l};
            }
        }
        job.meeting = link ? built_.link_name(*link) : "no link of both: the buffer of a switch";
        job.own_share = link ? static_cast<double>(own[index(*link)]) : 0;
        job.blamed_share = link ? static_cast<double>(other[index(*link)]) : 0;
    }

    const Fabric built_;
    const Scenario scenario_;
    const std::size_t threads_;
    const Watch& watch_;
    std::vector<std::unique_ptr<const Prepared>> jobs_;
    std::vector<Alone> alone_;
};

}  // namespace

JobMix mix_jobs(const Scenario& scenario, const Catalog& catalog, std::size_t threads, const Watch& watch) {
    return pointing_into(scenario, [&] { return Mixer(scenario, catalog, threads, watch).mix(); });
}

}  // namespace fabricast::inline jobs
