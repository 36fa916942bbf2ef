#include "core/companion.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "core/interrupt.hpp"

namespace probe {
namespace {

// The leader hears of a failure over the channel, or by its end, and tells it.
bool serve_quietly(Control& control, const Companion::Serve& serve) {
    bool good = true;
    try {
        serve(control);
    } catch (const std::exception&) { good = false; }
    const Control closed = std::move(control);
    return good;
}

}  // namespace

Companion Companion::process(Control& here, const Serve& serve) {
    std::pair<Control, Control> ends = control_pair();
    const pid_t child = fork();
    if (child < 0) { throw std::runtime_error("fork failed"); }
    if (child == 0) {
        ignore_interrupt();
        { const Control closed = std::move(ends.first); }
        _exit(serve_quietly(ends.second, serve) ? 0 : 1);
    }
    here = std::move(ends.first);
    Companion companion;
    companion.child_ = child;
    return companion;
}

Companion Companion::thread(Control& here, const Serve& serve) {
    std::pair<Control, Control> ends = control_pair();
    here = std::move(ends.first);
    Companion companion;
    companion.thread_ = std::thread([serve, end = std::move(ends.second)]() mutable { serve_quietly(end, serve); });
    return companion;
}

Companion::Companion(Companion&& other) noexcept
    : child_(std::exchange(other.child_, -1)), thread_(std::move(other.thread_)) {}

Companion::~Companion() {
    if (child_ > 0) { waitpid(child_, nullptr, 0); }
    if (thread_.joinable()) { thread_.join(); }
}

Meeting meet(const std::string& peer, const std::string& port, const Companion::Serve& serve) {
    Control control(-1);
    if (peer == "process" || peer == "thread") {
        Companion companion =
            peer == "process" ? Companion::process(control, serve) : Companion::thread(control, serve);
        return {std::move(companion), std::move(control)};
    }
    return {Companion(), connect_to_peer(peer, port, 10)};
}

}  // namespace probe
