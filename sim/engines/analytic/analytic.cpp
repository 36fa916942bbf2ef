#include "sim/engines/analytic/analytic.hpp"

#include <algorithm>
#include <map>

#include "sim/engines/common/accounting.hpp"
#include "sim/engines/common/kept.hpp"
#include "sim/engines/common/pipeline_form.hpp"
#include "sim/engines/common/ticks.hpp"

namespace fabricast {

namespace {

class Analysis {
public:
    Analysis(const Network& network, const Schedule& schedule, const DeviceLimits& device)
        : network_(network),
          schedule_(schedule),
          device_(device),
          release_(schedule.size()),
          finish_(schedule.size()),
          connection_free_(schedule.connections.size()),
          class_busy_(network.classes.size()),
          kept_(schedule) {}

    Timeline run() {
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            const Time ready = ready_time(op);
            finish_[op] = finish(op, ready);
            release_[op] = std::max(release_[op], ready);
            kept_.started(op, ready);
            kept_.released(op, release_[op]);
            kept_.finished(op, finish_[op]);
        }
        Timeline result;
        result.makespan = kept_.last_finish();
        result.kept = kept_.times();
        account(
            network_,
            {bytes_of_classes(network_, schedule_), [&](std::uint32_t cls) { return at_most_all(class_busy_[cls]); },
             [&](std::uint32_t row) { return busy_of_row(row); }},
            result);
        return result;
    }

private:
    Time ready_time(std::uint32_t op) const {
        Time ready;
        for (std::size_t i = 0; i < schedule_.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = schedule_.dependency(OpId{op}, i);
            const auto before = static_cast<std::uint32_t>(d.op);
            ready = std::max(ready, d.when == DependsOn::release ? release_[before] : finish_[before]);
        }
        return ready;
    }

    // Also writes release_[op].
    Time finish(std::uint32_t op, Time ready) {
        const std::uint32_t detail = schedule_.detail(OpId{op});
        switch (schedule_.kind(OpId{op})) {
            case OpKind::transfer:
                return release_[op] = finish_transfer(schedule_.transfers[detail], ready);
            case OpKind::pipeline:
                return finish_pipeline(op, detail, ready);
            case OpKind::compute: {
                const Compute& kernel = schedule_.computes[detail];
                Time& free = stream_free_[{kernel.device, kernel.stream}];
                free = std::max(free, ready) + ticks_up(kernel_times(device_, {&kernel}).front());
                return release_[op] = free;
            }
            case OpKind::delay: {
                const Delay& delay = schedule_.delays[detail];
                Time& free = host_free_[delay.host];
                free = std::max(free, ready) + delay.duration;
                return release_[op] = free;
            }
        }
        return ready;
    }

    Time finish_transfer(const Transfer& t, Time ready) {
        const std::uint32_t cls = network_.class_of_connection[t.connection];
        const double bytes = static_cast<double>(t.bytes.count) * schedule_.connections[t.connection].wire_ratio;
        const Duration fluid = ticks_up(bytes / rate_alone(network_, cls, 1));
        Time& free = connection_free_[t.connection];
        free = std::max(ready + t.start + network_.latency_of_connection[t.connection], free) + fluid;
        class_busy_[cls] += to_seconds(fluid);
        return free;
    }

    Time finish_pipeline(std::uint32_t op, std::uint32_t index, Time ready) {
        const Pipeline& p = schedule_.pipelines[index];
        const std::uint32_t cls = network_.class_of_pipeline[index];
        const PipelineForm form(schedule_, p, network_.hops_of(index));
        const double tau = form.tau(rate_alone(network_, cls, p.weight));
        const Duration running = ticks_up(form.running(tau));
        class_busy_[cls] += to_seconds(running);
        release_[op] = ready + p.start + running;
        return ready + p.start + ticks_up(form.running(tau) + form.draining(tau));
    }

    // Exact if no two classes use the row at once.
    Duration busy_of_row(std::uint32_t row) {
        if (row_busy_.empty()) {
            row_busy_.resize(network_.capacity.size());
            for (std::size_t c = 0; c < network_.classes.size(); ++c) {
                for (std::uint32_t x = network_.classes[c].shared; x < network_.classes[c].end; ++x) {
                    row_busy_[network_.crossing_row[x]] += class_busy_[c];
                }
            }
        }
        return at_most_all(row_busy_[row]);
    }
    Duration at_most_all(double seconds) const {
        return from_seconds(std::min(seconds, to_seconds(kept_.last_finish())));
    }

    const Network& network_;
    const Schedule& schedule_;
    DeviceLimits device_;
    std::vector<Time> release_, finish_, connection_free_;
    std::map<std::pair<DeviceId, std::uint16_t>, Time> stream_free_;
    std::map<std::uint32_t, Time> host_free_;
    std::vector<double> class_busy_, row_busy_;  // seconds
    Kept kept_;
};

}  // namespace

Timeline replay_analytic(const Network& network, const Schedule& schedule, const DeviceLimits& device) {
    return Analysis(network, schedule, device).run();
}

}  // namespace fabricast
