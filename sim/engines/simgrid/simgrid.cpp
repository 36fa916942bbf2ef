#include "sim/engines/simgrid/simgrid.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>

#include "sim/engines/common/accounting.hpp"
#include "sim/engines/common/dependents.hpp"
#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/kept.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/ticks.hpp"
#include "sim/engines/common/unroll.hpp"
#include "sim/engines/simgrid/child.hpp"
#include "sim/engines/simgrid/platform.hpp"

namespace fabricast {

namespace {

namespace s4u = simgrid::s4u;
using simgrid_engine::Endpoints;

// Replays messages, kernels and delays. There are no actors: a timer or a completion starts what comes next.
class Driver {
public:
    Driver(const Fabric& fabric, const Schedule& schedule, const DeviceLimits& device)
        : schedule_(schedule),
          device_(device),
          endpoints_(simgrid_engine::make_platform(fabric, schedule.connections)),
          dependents_(schedule),
          chains_(schedule.size(), schedule.connections.size() + schedule.computes.size() + schedule.delays.size()),
          queued_up_(schedule.size(), false),
          kept_(schedule) {
        for (const Connection& connection : schedule.connections) {
            latency_.push_back(to_seconds(fabric.path(connection.path).latency));
        }
        for (std::uint32_t op = 0; op < schedule.size(); ++op) {
            chains_.append(chain_of_[op] = chain(op), op);
        }
    }

    std::vector<OpTimes> run() {
        simgrid_engine::on_completion([this](const s4u::Activity& activity) { completed(activity); });
        simgrid_engine::at(0, [this] {
            for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
                if (dependents_.waiting(op) == 0) {
                    start(op);
                }
            }
        });
        s4u::Engine::get_instance()->run();
        if (finished_ < schedule_.size()) {
            throw CannotEnd("SimGrid's clock stopped with " + std::to_string(schedule_.size() - finished_) +
                            " operations left");
        }
        return kept_.times();
    }

private:
    // No exception may pass through SimGrid's kernel, so this one does not throw; the end of the run is checked
    // afterwards.
    Time now() const { return predicted({}, s4u::Engine::get_clock()); }

    std::uint32_t chain(std::uint32_t op) {
        const std::uint32_t detail = schedule_.detail(OpId{op});
        if (schedule_.kind(OpId{op}) == OpKind::transfer) {
            return schedule_.transfers[detail].connection;
        }
        const auto first = static_cast<std::uint32_t>(schedule_.connections.size());
        const bool kernel = schedule_.kind(OpId{op}) == OpKind::compute;
        const auto key = kernel ? std::tuple(0, static_cast<std::uint32_t>(schedule_.computes[detail].device),
                                             std::uint32_t{schedule_.computes[detail].stream})
                                : std::tuple(1, schedule_.delays[detail].host, 0U);
        return numbers_.try_emplace(key, first + static_cast<std::uint32_t>(numbers_.size())).first->second;
    }

    void after(double seconds, std::function<void()> next) {
        if (seconds > 0) {
            simgrid_engine::at(s4u::Engine::get_clock() + seconds, std::move(next));
        } else {
            next();
        }
    }

    void start(std::uint32_t op) {
        kept_.started(op, now());
        double delay = 0;
        if (schedule_.kind(OpId{op}) == OpKind::transfer) {
            const Transfer& t = schedule_.transfers[schedule_.detail(OpId{op})];
            delay = to_seconds(t.start) + latency_[t.connection];
        }
        after(delay, [this, op] {
            queued_up_[op] = true;
            if (chains_.turn(chain_of_[op]) == op) {
                go(op);
            }
        });
    }

    void go(std::uint32_t op) {
        const std::uint32_t detail = schedule_.detail(OpId{op});
        switch (schedule_.kind(OpId{op})) {
            case OpKind::transfer:
                send(op, schedule_.transfers[detail]);
                break;
            case OpKind::compute:  // as if alone on its device: SimGrid is the reference for the network only
                wait(op, kernel_times(device_, {&schedule_.computes[detail]}).front());
                break;
            default:
                wait(op, to_seconds(schedule_.delays[detail].duration));
        }
    }

    // Through a timer even if there is nothing to wait for: otherwise long chains would recurse.
    void wait(std::uint32_t op, double seconds) {
        simgrid_engine::at(s4u::Engine::get_clock() + seconds, [this, op] { end(op); });
    }

    void send(std::uint32_t op, const Transfer& t) {
        const Connection& connection = schedule_.connections[t.connection];
        const auto bytes =
            static_cast<std::uint64_t>(rounded_bytes(static_cast<double>(t.bytes.count) * connection.wire_ratio).count);
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
            const std::uint32_t op = place->second.first;
            done_.push_back(std::move(place->second.second));
            live_.erase(place);
            end(op);
        }
        if (done_.size() > 1) {  // SimGrid still uses the one that is completing now
            done_.erase(done_.begin(), done_.end() - 1);
        }
    }

    void end(std::uint32_t op) {
        chains_.pass_turn(chain_of_[op]);
        const std::uint32_t next = chains_.turn(chain_of_[op]);
        if (next != Chains::none && queued_up_[next]) {
            go(next);
        }
        kept_.released(op, now());
        kept_.finished(op, now());
        ++finished_;
        dependents_.finished(op, [&](std::uint32_t ready) { start(ready); });
    }

    const Schedule& schedule_;
    DeviceLimits device_;
    std::vector<Endpoints> endpoints_;
    std::vector<double> latency_;  // per connection, seconds
    Dependents dependents_;
    Chains chains_;
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;
    std::vector<std::uint32_t> chain_of_ = std::vector<std::uint32_t>(schedule_.size());
    std::vector<bool> queued_up_;
    std::unordered_map<const s4u::Activity*, std::pair<std::uint32_t, s4u::CommPtr>> live_;
    std::vector<s4u::CommPtr> done_;
    Kept kept_;
    std::size_t finished_ = 0;
};

std::vector<OpId> kept_of(const Schedule& schedule) {
    std::vector<OpId> kept = schedule.kept;
    if (kept.empty() && schedule.size() > 0) {
        kept.push_back(OpId{static_cast<std::uint32_t>(schedule.size() - 1)});
    }
    return kept;
}

// Runs in the child: start, release and finish of each kept operation, then the makespan, as picoseconds.
std::string replay_here(const Fabric& fabric, const Schedule& schedule, const DeviceLimits& device) {
    std::vector<std::string> words = simgrid_engine::arguments(true);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    s4u::Engine engine(&argc, argv.data());

    Unrolled unrolled = unroll(fabric, schedule);
    for (const OpId op : kept_of(schedule)) {
        const Unrolled::Ends& ends = unrolled.ends[static_cast<std::uint32_t>(op)];
        unrolled.schedule.kept.insert(unrolled.schedule.kept.end(), {ends.start, ends.release, ends.finish});
    }
    Driver driver(fabric, unrolled.schedule, device);
    const std::vector<OpTimes> times = driver.run();
    std::vector<std::int64_t> answer;
    for (std::size_t i = 0; i < times.size(); i += 3) {
        answer.insert(answer.end(), {times[i].start.ps, times[i + 1].finish.ps, times[i + 2].finish.ps});
    }
    answer.push_back(from_seconds(s4u::Engine::get_clock()).ps);
    return {reinterpret_cast<const char*>(answer.data()), answer.size() * sizeof(std::int64_t)};
}

}  // namespace

Timeline replay_simgrid(const Fabric& fabric, const Schedule& schedule, const DeviceLimits& device,
                        const Watch& watch) {
    const std::string bytes = simgrid_engine::in_child([&] { return replay_here(fabric, schedule, device); }, watch);
    std::vector<std::int64_t> answer(bytes.size() / sizeof(std::int64_t));
    std::memcpy(answer.data(), bytes.data(), answer.size() * sizeof(std::int64_t));
    Timeline timeline;
    timeline.makespan = {answer.back()};
    std::size_t at = 0;
    for (const OpId op : kept_of(schedule)) {
        timeline.kept.push_back({op, {answer[at]}, {answer[at + 1]}, {answer[at + 2]}});
        at += 3;
    }
    const Network network = make_fluid_network(fabric, schedule, {});
    account(network,
            {bytes_of_classes(network, schedule), [](std::uint32_t) { return Duration{}; },
             [](std::uint32_t) { return Duration{}; }},
            timeline);
    return timeline;
}

}  // namespace fabricast
