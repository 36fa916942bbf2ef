#pragma once
// Messages over a data path as a schedule: a core's work becomes a host delay, each leg's bytes become transfers on its
// links piece by piece, and the control messages of a rendezvous become messages too.

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/transfers/messaging.hpp"
#include "sim/plan/transfers/transports.hpp"

namespace fabricast::inline transfers {

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
