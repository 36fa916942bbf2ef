#pragma once
// The side channel between the two ends of a measurement: whole messages over a stream socket. It carries orders,
// addresses and outcomes, never what is measured.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

struct addrinfo;

namespace probe {

// The other end closed, died or sent what is not a message.
struct PeerLost : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Control {
public:
    // Takes the descriptor.
    explicit Control(int descriptor) : descriptor_(descriptor) {}
    ~Control();
    Control(Control&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Control& operator=(Control&& other) noexcept;
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    void send(const std::string& message);
    // Waits for the next message; at most max_message bytes. Throws PeerLost, or Stopped after an interrupt.
    std::string receive();
    // Has something arrived (a message or the end)? Does not wait.
    bool readable() const;
    // Has the other end closed? What it last said may still be there to receive.
    bool closing() const;
    // Both ends have come here.
    void barrier();

    static constexpr std::size_t max_message = std::size_t{1} << 20U;

private:
    void read_all(void* data, std::size_t bytes);

    int descriptor_;
};

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;
// For TCP; an empty host is every address of this machine. Throws std::runtime_error.
Addresses resolve(const std::string& host, const std::string& port);

// Two ends in one machine.
std::pair<Control, Control> control_pair();
// Waits for one peer on this TCP port. Throws std::runtime_error or Stopped.
Control listen_for_peer(const std::string& address, const std::string& port);
// `host` a name or an address. Tries for ten seconds. Throws std::runtime_error.
Control connect_to_peer(const std::string& host, const std::string& port);

}  // namespace probe
