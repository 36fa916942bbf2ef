#include "sim/engines/simgrid/simgrid.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <system_error>
#include <unordered_map>

#include "base/units.hpp"
#include "sim/engines/common/accounting.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/progress.hpp"
#include "sim/engines/common/streams.hpp"
#include "sim/engines/common/ticks.hpp"
#include "sim/engines/common/unroll.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/simgrid/platform.hpp"

namespace fabricast::inline simgrid_engine {

namespace {

// Runs work in a process of its own: a process can have only one SimGrid engine, and its clock does not restart.

// Kills and reaps the child in any case.
class Child {
public:
    Child(pid_t pid, int pipe) : pid_(pid), pipe_(pipe) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        ::close(pipe_);
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            reap();
        }
    }

    int pipe() const { return pipe_; }

    // Waits for the child; returns its status.
    int reap() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
        pid_ = 0;
        return status;
    }

private:
    pid_t pid_;
    int pipe_;
};

void write_all(int to, const std::string& bytes) {
    std::size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t n = ::write(to, bytes.data() + written, bytes.size() - written);
        if (n < 0 && errno != EINTR) { return; }
        written += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
}

// All that the child does. The first byte of its answer says whether the rest is a result or an error's text.
[[noreturn]] void live(const std::function<std::string()>& work, int to) {
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM}) {
        ::signal(signal, SIG_DFL);  // the parent's handlers must not run here
    }
    std::string answer;
    try {
        answer = "r" + work();
    } catch (const CannotEnd& error) { answer = std::string("c") + error.what(); } catch (const TooLarge& error) {
        answer = std::string("m") + error.what();
    } catch (const OutOfRange& error) {
        answer = std::string("o") + error.what();
    } catch (const std::exception& error) { answer = std::string("e") + error.what(); }
    write_all(to, answer);
    ::_exit(0);  // exit() would flush the parent's buffers and run its handlers
}

std::string read_all(const Child& child, const Watch& watch) {
    std::string bytes;
    std::array<char, 65536> buffer;
    while (true) {
        stop_if_asked(watch);
        pollfd ready{child.pipe(), POLLIN, 0};
        if (::poll(&ready, 1, 100) <= 0) { continue; }
        const ssize_t n = ::read(child.pipe(), buffer.data(), buffer.size());
        if (n == 0) { return bytes; }
        if (n > 0) {
            bytes.append(buffer.data(), static_cast<std::size_t>(n));
        } else if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "reading from the SimGrid process");
        }
    }
}

// Runs `work` in a forked child and returns the bytes that it returned. CannotEnd, TooLarge and OutOfRange are thrown
// again here; any other exception becomes std::runtime_error with its text, and so does a child killed by a signal.
// When the watch says stop, the child is killed and Stopped is thrown. No child outlives the call.
std::string in_child(const std::function<std::string()>& work, const Watch& watch) {
    std::array<int, 2> ends;
    if (::pipe(ends.data()) != 0) { throw std::system_error(errno, std::generic_category(), "pipe"); }
    std::cout.flush();  // otherwise the child might print the buffered text again
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    const int error = errno;
    if (pid == 0) {
        ::close(ends[0]);
        live(work, ends[1]);
    }
    ::close(ends[1]);
    Child child(pid, ends[0]);
    if (pid < 0) { throw std::system_error(error, std::generic_category(), "fork"); }
    const std::string answer = read_all(child, watch);
    const int status = child.reap();
    if (WIFSIGNALED(status)) {
        throw std::runtime_error(std::string("the SimGrid process died: ") + ::strsignal(WTERMSIG(status)));
    }
    if (!answer.empty() && answer[0] == 'c') { throw CannotEnd(answer.substr(1)); }
    if (!answer.empty() && answer[0] == 'm') { throw TooLarge(answer.substr(1)); }
    if (!answer.empty() && answer[0] == 'o') { throw OutOfRange(answer.substr(1)); }
    if (answer.empty() || answer[0] != 'r') {
        throw std::runtime_error("SimGrid: " + (answer.empty() ? "no answer" : answer.substr(1)));
    }
    return answer.substr(1);
}

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

// Runs in the child: start, release and finish of each kept operation, then the makespan, as picoseconds.
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

std::string_view SimGrid::missing() { return ""; }

// Measured (GCC 12, glibc 2.36, x86-64): 420 B per message in rings of 23,000 to 390,000; a connection took 2 kB in an
// all-to-all and 9 kB in trees; tests/sim/engines/memory_test.cpp repeats the measurement.
MemoryNeed SimGrid::memory(const Fabric&, const Schedule& schedule) {
    auto messages = static_cast<double>(schedule.size());
    for (const Pipeline& p : schedule.pipelines) {
        messages += stream_count(schedule, p) * std::max(1.0, (p.bytes_per_edge / p.chunk + p.fill) * p.slices);
    }
    return {messages, "messages", 420 + 4500 * stream_count(schedule) / std::max(1.0, messages)};
}

Timeline replay_task(const SimGrid&, const ReplayTask& task) {
    const Schedule& schedule = task.schedule;
    const std::string bytes = simgrid_engine::in_child([&] { return replay_here(task); }, task.watch);
    std::vector<std::int64_t> answer(bytes.size() / sizeof(std::int64_t));
    std::memcpy(answer.data(), bytes.data(), answer.size() * sizeof(std::int64_t));
    Timeline timeline;
    timeline.makespan = {answer.back()};
    std::size_t at = 0;
    for (const OpId op : kept_of(schedule)) {
        timeline.kept.push_back({op, {answer[at]}, {answer[at + 1]}, {answer[at + 2]}});
        at += 3;
    }
    const Network network = make_fluid_network(task.fabric, schedule, {});
    account(network, {bytes_of_classes(network, schedule)}, timeline);
    return timeline;
}

}  // namespace fabricast::inline simgrid_engine
