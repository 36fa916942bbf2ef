#include "core/ending.hpp"

#include <csignal>

namespace probe {
namespace {

// A signal handler can reach nothing else: the one mutable global of the probes.
volatile std::sig_atomic_t asked = 0;

extern "C" void remember(int) { asked = 1; }

}  // namespace

void listen_for_interrupt() {
    struct sigaction action = {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // a peer that left is an error of the call, not a death
}

void ignore_interrupt() {
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
}

bool interrupt_asked() { return asked != 0; }

void stop_if_asked() {
    if (interrupt_asked()) { throw Stopped(); }
}

}  // namespace probe
