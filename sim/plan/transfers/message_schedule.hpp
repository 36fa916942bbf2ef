#pragma once
// Messages over a data path as a schedule: cores as host delays, each leg's bytes as transfers on its links piece by
// piece, control messages of a rendezvous as messages of their own.

#include <optional>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/transfers/messaging.hpp"

namespace fabricast {

// The two ends of a transfer, made ready.
struct Endpoints {
    const DataPath* forward_path = nullptr;
    const DataPath* back = nullptr;     // of the other direction; where both are busy
    const DataPath* control = nullptr;  // of small messages, there
    const DataPath* answer = nullptr;   // and back
    Messaging messaging;
    DeviceId device{};  // of a copy inside one device
    bool gpu = false;   // an end is GPU memory
};

// How a message of so many bytes is sent.
enum class MessageMode : std::uint8_t { eager, rendezvous };
MessageMode mode_of(const Endpoints& conversation, Bytes bytes);

struct MessageSchedule {
    Schedule schedule;                 // kept: the end of each message
    std::vector<OpId> ends;            // of the messages, in order
    std::optional<OpId> acknowledged;  // the answer to the window
};

// Adds the operations of `other` to a schedule of messages, with hosts and connections of their own. Kept operations of
// both are kept.
void append(Schedule& into, const Schedule& other);

// `messages` of `bytes` handed over one behind the other, in one direction or both at once.
MessageSchedule schedule_messages(const Endpoints& conversation, Bytes bytes, std::uint32_t messages, bool both_ways);

}  // namespace fabricast
