#pragma once
// Other processes, perhaps on other machines, that simulate parts of the same replay. All that they tell each other
// goes through this class, so that the engine knows of no library that carries it.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
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

// Values as bytes, for processes that run the same program.

template <class T> void put(Peers::Message& message, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t count = values.size();
    const std::size_t before = message.size();
    message.resize(before + sizeof count + values.size_bytes());
    std::memcpy(message.data() + before, &count, sizeof count);
    if (count > 0) { std::memcpy(message.data() + before + sizeof count, values.data(), values.size_bytes()); }
}
template <class... T> void put(Peers::Message& message, const std::vector<T>&... lists) {
    (put(message, std::span<const T>(lists)), ...);
}
template <class T> void put_one(Peers::Message& message, const T& value) {
    put(message, std::span<const T>(&value, 1));
}

// Of something that has a number.
template <class T> struct Numbered {
    std::uint32_t number = 0;
    T value;
};

// Takes out what was put in, in the same order.
class Unpacking {
public:
    explicit Unpacking(const Peers::Message& message) : left_(message) {}

    template <class T> std::vector<T> take() {
        std::size_t count = 0;
        copy(&count, sizeof count);
        std::vector<T> values(count);
        copy(values.data(), count * sizeof(T));
        return values;
    }
    template <class T> T take_one() { return take<T>().at(0); }

private:
    void copy(void* to, std::size_t bytes) {
        assert(bytes <= left_.size());
        if (bytes > 0) { std::memcpy(to, left_.data(), bytes); }
        left_ = left_.subspan(bytes);
    }

    std::span<const std::byte> left_;
};

// Tells all ranks the same; calls read(Unpacking) for what each of the others tells.
template <class Read> void tell_others(Peers& peers, const Peers::Message& message, Read&& read) {
    const std::vector<Peers::Message> from_each = peers.tell_all(message);
    for (std::uint32_t r = 0; r < from_each.size(); ++r) {
        if (r != peers.rank()) { read(Unpacking(from_each[r])); }
    }
}

}  // namespace fabricast::inline packet
