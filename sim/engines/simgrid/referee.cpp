// The part of the engine that is made of SimGrid: a library of its own, which the engine loads when it is first asked
// for.

#include "sim/engines/simgrid/referee.hpp"

#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "sim/engines/common/progress.hpp"
#include "sim/engines/common/ticks.hpp"
#include "sim/engines/common/unroll.hpp"
#include "sim/engines/simgrid/platform.hpp"

namespace fabricast::inline simgrid_engine {

namespace {

namespace s4u = simgrid::s4u;

// Replays messages, kernels and delays. There are no actors: a timer or a completion starts what comes next.
class Driver {
public:
    Driver(const Fabric& fabric, const Schedule& schedule, const DeviceLimits& device)
        : schedule_(schedule),
          device_(device),
          endpoints_(simgrid_engine::make_platform(fabric, schedule.connections)) {
        for (const Connection& connection : schedule.connections) {
            latency_.push_back(to_seconds(fabric.path(connection.path).latency));
        }
    }

    std::vector<OpTimes> run() {
        simgrid_engine::on_completion([this](const s4u::Activity& activity) { completed(activity); });
        simgrid_engine::at(0, [this] { progress_.begin([this](OpId op) { start(op); }); });
        s4u::Engine::get_instance()->run();
        if (!progress_.finished()) {
            throw CannotEnd("SimGrid's clock stopped with {} operations left", schedule_.size() - progress_.count());
        }
        return progress_.timeline().kept;
    }

private:
    // No exception may pass through SimGrid's kernel, so this one throws nothing; the end is checked afterwards.
    Time now() const { return predicted({}, s4u::Engine::get_clock()); }

    void start(OpId op) {
        progress_.started(op, now());
        double delay = 0;
        if (schedule_.kind(op) == OpKind::transfer) {
            const Transfer& t = schedule_.transfers[schedule_.detail(op)];
            delay = to_seconds(t.start) + latency_[t.connection];
        }
        const auto queue_up = [this, op] {
            if (progress_.queue_up(op)) { run(op); }
        };
        if (delay > 0) {
            simgrid_engine::at(s4u::Engine::get_clock() + delay, queue_up);
        } else {
            queue_up();
        }
    }

    void run(OpId op) {
        const std::uint32_t detail = schedule_.detail(op);
        switch (schedule_.kind(op)) {
            case OpKind::transfer: send(op, schedule_.transfers[detail]); break;
            case OpKind::compute:  // as if alone on its device: SimGrid is the reference for the network only
                wait(op, kernel_times(device_, {&schedule_.computes[detail]}).front());
                break;
            case OpKind::delay: wait(op, to_seconds(schedule_.delays[detail].duration)); break;
            case OpKind::pipeline:  // written out as messages
                break;
        }
    }

    // Through a timer even if there is nothing to wait for: otherwise long chains would recurse.
    void wait(OpId op, double seconds) {
        simgrid_engine::at(s4u::Engine::get_clock() + seconds, [this, op] { end(op); });
    }

    void send(OpId op, const Transfer& t) {
        const auto bytes = static_cast<std::uint64_t>(rounded_bytes(schedule_.wire_bytes(t)).count);
        if (bytes == 0) {
            wait(op, 0);
            return;
        }
        const Endpoints& ends = endpoints_[t.connection];
        const s4u::CommPtr message = s4u::Comm::sendto_init();
        message->set_payload_size(bytes);
        live_.emplace(message.get(), std::pair(op, message));  // keeps the Comm alive until it has completed
        message->set_source(ends.from)->set_destination(ends.to);
        if (message->get_state() == s4u::Activity::State::INITED) {  // 3.32 starts it once both ends are known
            message->start();
        }
    }

    void completed(const s4u::Activity& activity) {
        const auto place = live_.find(&activity);
        if (place != live_.end()) {
            const OpId op = place->second.first;
            done_ = std::move(place->second.second);  // SimGrid still uses the one that is completing now
            live_.erase(place);
            end(op);
        }
    }

    void end(OpId op) {
        progress_.ended(
            op, now(), [this](OpId next) { run(next); }, [this](OpId next) { start(next); });
    }

    const Schedule& schedule_;
    DeviceLimits device_;
    std::vector<Endpoints> endpoints_;
    std::vector<double> latency_;  // per connection, seconds
    Progress progress_{schedule_};
    std::unordered_map<const s4u::Activity*, std::pair<OpId, s4u::CommPtr>> live_;
    s4u::CommPtr done_;
};

std::string replay_here(const ReplayTask& task) {
    std::vector<std::string> words = simgrid_engine::arguments(true);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) { argv.push_back(word.data()); }
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    s4u::Engine engine(&argc, argv.data());

    Unrolled unrolled = unroll(task.fabric, task.schedule);
    for (const OpId op : kept_of(task.schedule)) {
        const Unrolled::Ends& ends = unrolled.ends[index(op)];
        unrolled.schedule.kept.insert(unrolled.schedule.kept.end(), {ends.start, ends.release, ends.finish});
    }
    const std::vector<OpTimes> times = Driver(task.fabric, unrolled.schedule, task.device).run();
    std::vector<std::int64_t> answer;
    std::int64_t last = from_seconds(s4u::Engine::get_clock()).ps;  // which rounds otherwise than now()
    for (std::size_t i = 0; i < times.size(); i += 3) {
        answer.insert(answer.end(), {times[i].start.ps, times[i + 1].finish.ps, times[i + 2].finish.ps});
        last = std::max(last, answer.back());
    }
    answer.push_back(last);
    return {reinterpret_cast<const char*>(answer.data()), answer.size() * sizeof(std::int64_t)};
}

}  // namespace

}  // namespace fabricast::inline simgrid_engine

extern "C" void fabricast_simgrid_replay(const fabricast::ReplayTask* task, std::string* answer) {
    *answer = fabricast::simgrid_engine::replay_here(*task);
}
