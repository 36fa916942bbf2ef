#include "sim/engines/simgrid/simgrid.hpp"

#include <dlfcn.h>
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

#include "base/units.hpp"
#include "sim/engines/common/accounting.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/streams.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/simgrid/referee.hpp"

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
    } catch (const CannotEnd& error) { answer = std::string("c") + error.what(); } catch (const OutOfRange& error) {
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

// Runs `work` in a forked child and returns the bytes that it returned. CannotEnd and OutOfRange are thrown again here;
// any other exception becomes std::runtime_error with its text, and so does a child killed by a signal. When the watch
// says stop, the child is killed and Stopped is thrown. No child outlives the call.
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
    if (!answer.empty() && answer[0] == 'o') { throw OutOfRange(answer.substr(1)); }
    if (answer.empty() || answer[0] != 'r') {
        throw std::runtime_error("SimGrid: " + (answer.empty() ? "no answer" : answer.substr(1)));
    }
    return answer.substr(1);
}

// Libraries behind SimGrid take 20 ms to load, so whoever does not ask for this engine does not wait for them. Never
// unloaded. Where it lies: CMakeLists.txt.
auto load_referee() {
    static const auto replay = [] {
        void* const library = ::dlopen("libfabricast-simgrid.so", RTLD_NOW | RTLD_LOCAL);
        void* const found = library == nullptr ? nullptr : ::dlsym(library, "fabricast_simgrid_replay");
        if (found == nullptr) {
            throw MissingEngine("the engine simgrid is a library of its own, which cannot be loaded: {}", ::dlerror());
        }
        return reinterpret_cast<decltype(&fabricast_simgrid_replay)>(found);
    }();
    return replay;
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
    const auto replay = load_referee();
    const auto work = [&] {
        std::string answer;
        replay(&task, &answer);
        return answer;
    };
    const std::string bytes = simgrid_engine::in_child(work, task.watch);
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
