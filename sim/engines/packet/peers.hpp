#pragma once
// Other processes, perhaps on other machines, that simulate parts of the same replay. All that they tell each other
// goes through this class, so that the engine knows of no library that carries it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline packet {

// Another process has given up; what it says, and its exit code.
struct PeerFailed : Error {
    using Error::Error;
};

class Peers {
public:
    using Message = std::vector<std::byte>;

    virtual ~Peers() = default;
    virtual std::uint32_t rank() const = 0;   // of this process, from 0
    virtual std::uint32_t count() const = 0;  // of all processes
    // Sends each rank its message and returns theirs, by rank; nothing goes to a rank itself. All ranks call it equally
    // often, in the same order, from one thread. Throws PeerFailed instead of waiting for a rank that has ended.
    virtual std::vector<Message> exchange(std::vector<Message> to_each) = 0;
    // The same message for all.
    std::vector<Message> tell_all(const Message& message) { return exchange(std::vector<Message>(count(), message)); }
    // Something that the user must know of how the replay was shared.
    virtual void note(const std::string& text) = 0;
};

}  // namespace fabricast::inline packet
