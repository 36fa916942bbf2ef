#pragma once
// The other end of a measurement on this machine: a process or a thread that serves for as long as the run lasts.

#include <sys/types.h>

#include <functional>
#include <thread>

#include "core/control.hpp"

namespace probe {

class Companion {
public:
    using Serve = std::function<void(Control&)>;

    Companion() = default;
    // Forks; to be called before any library has started threads. `here` becomes the channel to it.
    static Companion process(Control& here, const Serve& serve);
    static Companion thread(Control& here, const Serve& serve);

    Companion(Companion&& other) noexcept;
    Companion& operator=(Companion&&) = delete;
    // Waits for it. Precondition: the channel is closed, or it was told to end.
    ~Companion();

private:
    pid_t child_ = -1;
    std::thread thread_;
};

// The channel to the other end as `--peer` names it: "thread", "process" or a host that listens on `port`.
struct Meeting {
    Companion companion;  // outlives the channel
    Control control{-1};
};
Meeting meet(const std::string& peer, const std::string& port, const Companion::Serve& serve);

}  // namespace probe
