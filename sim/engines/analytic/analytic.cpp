#include "sim/engines/analytic/analytic.hpp"

#include <algorithm>

#include "sim/engines/common/accounting.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/progress.hpp"
#include "sim/engines/common/ticks.hpp"

namespace fabricast::inline analytic {

namespace {

class Analysis {
public:
    explicit Analysis(const ReplayTask& task) : task_(task) {}

    Timeline run() {
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            run(OpId{op}, ready_time(OpId{op}));
            last_ = std::max(last_, finish_[op]);
        }
        Timeline result;
        result.makespan = last_;
        for (const OpId op : kept_of(schedule_)) {
            result.kept.push_back({op, ready_time(op), release_[index(op)], finish_[index(op)]});
        }
        std::vector<double> row_busy(network_.capacity.size());  // exact if no two classes use the row at once
        for (std::size_t c = 0; c < network_.classes.size(); ++c) {
            for (std::uint32_t x = network_.classes[c].shared; x < network_.classes[c].end; ++x) {
                row_busy[network_.crossing_row[x]] += class_busy_[c];
            }
        }
        const auto at_most_all = [&](double seconds) { return from_seconds(std::min(seconds, to_seconds(last_))); };
        account(
            network_,
            {bytes_of_classes(network_, schedule_), [&](std::uint32_t cls) { return at_most_all(class_busy_[cls]); },
             [&](std::uint32_t row) { return at_most_all(row_busy[row]); }},
            result);
        return result;
    }

private:
    Time ready_time(OpId op) const {
        Time ready;
        for (std::size_t i = 0; i < schedule_.dependency_count(op); ++i) {
            const Schedule::Dependency d = schedule_.dependency(op, i);
            ready = std::max(ready, (d.when == DependsOn::release ? release_ : finish_)[index(d.op)]);
        }
        return ready;
    }

    // Writes release_[op] and finish_[op].
    void run(OpId op, Time ready) {
        const std::uint32_t detail = schedule_.detail(op);
        switch (schedule_.kind(op)) {
            case OpKind::transfer: {
                const Transfer& t = schedule_.transfers[detail];
                const std::uint32_t cls = network_.class_of_connection[t.connection];
                const Duration took = ticks_up(schedule_.wire_bytes(t) / rate_alone(network_, cls, 1));
                queue(op, ready + t.start + network_.latency_of_connection[t.connection], took);
                class_busy_[cls] += to_seconds(took);
                return;
            }
            case OpKind::pipeline: {
                const PipelineAlone alone = pipeline_alone(network_, schedule_, detail);
                const Duration running = ticks_up(alone.running);
                const Time begins = ready + schedule_.pipelines[detail].start;
                class_busy_[network_.class_of_pipeline[detail]] += to_seconds(running);
                release_[index(op)] = begins + running;
                finish_[index(op)] = begins + ticks_up(alone.running + alone.draining);
                return;
            }
            case OpKind::compute:
                queue(op, ready, ticks_up(kernel_times(task_.device, {&schedule_.computes[detail]}).front()));
                return;
            case OpKind::delay: queue(op, ready, schedule_.delays[detail].duration); return;
        }
    }

    // Runs the operation for this long as soon as those before it in its FIFO have ended.
    void queue(OpId op, Time from, Duration took) {
        Time& free = free_[static_cast<std::uint32_t>(fifos_.of(op))];
        free = std::max(free, from) + took;
        release_[index(op)] = finish_[index(op)] = free;
    }

    const ReplayTask& task_;
    const Schedule& schedule_ = task_.schedule;
    const Network network_ = make_fluid_network(task_.fabric, schedule_, {});
    std::vector<Time> release_ = std::vector<Time>(schedule_.size()), finish_ = release_;  // per operation
    Fifos fifos_{schedule_};
    // Per FIFO: when what is in it so far has ended.
    std::vector<Time> free_ = std::vector<Time>(fifos_.count());
    std::vector<double> class_busy_ = std::vector<double>(network_.classes.size());  // seconds
    Time last_;
};

}  // namespace

Timeline replay_task(const Analytic&, const ReplayTask& task) { return Analysis(task).run(); }

}  // namespace fabricast::inline analytic
