#pragma once
// Messages over a data path as a schedule: a core's work becomes a host delay, each leg's bytes become transfers on its
// links piece by piece, and the control messages of a rendezvous become messages too.

#include <optional>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/transfers/messaging.hpp"

namespace fabricast {

// A transfer between two devices with everything that its schedule needs.
struct Endpoints {
    const DataPath* forward_path = nullptr;
    const DataPath* back = nullptr;     // path in the other direction, for both_ways
    const DataPath* control = nullptr;  // path of control messages to the receiver
    const DataPath* answer = nullptr;   // and back to the sender
    Messaging messaging;
    DeviceId device{};  // the device of a copy inside one device's memory
    bool gpu = false;   // one of the ends is GPU memory
};

// How a message of this size is sent.
enum class MessageMode : std::uint8_t { eager, rendezvous };
MessageMode mode_of(const Endpoints& conversation, Bytes bytes);

struct MessageSchedule {
    Schedule schedule;                 // kept: the end of each message
    std::vector<OpId> ends;            // one for each message, in order
    std::optional<OpId> acknowledged;  // the answer to the window of messages
};

// Adds the operations of `other` to a schedule of messages, on separate hosts and connections. The kept operations of
// both stay kept.
void append(Schedule& into, const Schedule& other);

// Sends `messages` messages of `bytes` bytes one after another, in one direction or in both at once.
MessageSchedule schedule_messages(const Endpoints& conversation, Bytes bytes, std::uint32_t messages, bool both_ways);

}  // namespace fabricast
