#pragma once
// Messages over a data path as a schedule: a core's work becomes a host delay, each leg's bytes become transfers on its
// links piece by piece, and the control messages of a rendezvous become messages too.

#include <string>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/transfers/transports.hpp"

namespace fabricast::inline transfers {

// The software that issues messages: an MPI, verbs, sockets, CUDA copies. A part of kind `messaging`, like a library's
// release: what one message costs at either end, which sizes are sent at once (eager) and which ask first (rendezvous),
// and how many messages its benchmark keeps in flight.
struct Messaging {
    std::string name;
    Duration send, send_gap;        // until the message is handed over; until the next one can be
    Duration receive, receive_gap;  // the same at the receiver
    double inject_max = 0;          // largest message, in bytes, that a core writes into the command itself
    Duration payload_read;          // added for larger messages, which the adapter has to read from memory
    double eager_max = 0;           // bytes; larger messages ask first. Infinite: none does
    double gpu_eager_max = 0;       // the same for GPU memory
    double gpu_bounce_max = 0;      // largest message in GPU memory, in bytes, that a core first copies to the host
    Duration gpu_bounce;
    Duration rendezvous;          // the receiver's time to answer a message that asks
    bool offloaded = false;       // the receiver's adapter answers, not a core
    double read_outstanding = 0;  // bytes in flight of a kernel's loads; 0: a copy engine, no limit
    std::uint32_t window = 64;
    bool by_core = true;         // a core hands messages over; false: threads of a GPU do
    bool issued_by_gpu = false;  // the GPU's own `copy.issue` goes before `send`
    bool in_order = false;       // a message begins when the previous one has ended
    bool acknowledged = false;   // the benchmark waits for an answer after each window
};

// Throws CatalogError.
Messaging messaging_of(const std::string& name, DataPathFigures& figures);

// A transfer between two devices with everything that its schedule needs.
struct Endpoints {
    ChosenPath choice;  // path to the receiver
    DataPath back;      // path in the other direction, for both_ways
    DataPath control;   // path of control messages to the receiver
    DataPath answer;    // and back to the sender
    Messaging messaging;
    DeviceId device{};  // the device of a copy inside one device's memory
    bool gpu = false;   // one of the ends is GPU memory
};

// How a message of this size is sent.
enum class MessageMode : std::uint8_t { eager, rendezvous };
MessageMode mode_of(const Endpoints& conversation, Bytes bytes);

// Sends `messages` messages of `bytes` bytes one after another, in one direction or in both at once, beside the
// messages that the schedule has already: on separate hosts and connections. Keeps the end of each message in order,
// and the answer to the window of messages if there is one.
void add_messages(const Endpoints& conversation, Bytes bytes, std::uint32_t messages, bool both_ways,
                  Schedule& schedule);

}  // namespace fabricast::inline transfers
