#include "core/control.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "core/ending.hpp"

namespace probe {
namespace {

std::runtime_error system_failure(const std::string& what) {
    return std::runtime_error(what + ": " + std::strerror(errno));
}

Control without_delay(int descriptor) {
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return Control(descriptor);
}

bool shows(int descriptor, short events, int wait_ms = 0) {
    pollfd one = {descriptor, events, 0};
    return poll(&one, 1, wait_ms) > 0;
}

// Waits until readable, looking up for an interrupt five times a second.
void wait_readable(int descriptor) {
    while (!shows(descriptor, POLLIN, 200)) { stop_if_asked(); }
}

}  // namespace

Control::~Control() {
    if (descriptor_ >= 0) { close(descriptor_); }
}

Control& Control::operator=(Control&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

void Control::send(const std::string& message) {
    // The length in network order, then the bytes.
    const std::uint32_t length = htonl(static_cast<std::uint32_t>(message.size()));
    const std::string frame = std::string(reinterpret_cast<const char*>(&length), sizeof length) + message;
    for (std::size_t sent = 0; sent < frame.size();) {
        const ssize_t n = ::send(descriptor_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) { continue; }
        if (n <= 0) {
            const std::runtime_error gone = system_failure("the peer is gone");
            throw PeerLost(readable() ? receive() : gone.what());  // its last words, or its end
        }
        sent += static_cast<std::size_t>(n);
    }
}

void Control::read_all(void* data, std::size_t bytes) {
    for (std::size_t got = 0; got < bytes;) {
        wait_readable(descriptor_);
        const ssize_t n = recv(descriptor_, static_cast<char*>(data) + got, bytes - got, 0);
        if (n < 0 && errno == EINTR) { continue; }
        if (n <= 0) {
            throw PeerLost(n == 0 ? "the peer closed the connection" : system_failure("the peer is gone").what());
        }
        got += static_cast<std::size_t>(n);
    }
}

std::string Control::receive() {
    std::uint32_t length = 0;
    read_all(&length, sizeof length);
    length = ntohl(length);
    if (length > max_message) {
        throw PeerLost("the peer sent something that is not a message (is it a probe of this version?)");
    }
    std::string message(length, '\0');
    read_all(message.data(), length);
    return message;
}

bool Control::readable() const { return shows(descriptor_, POLLIN); }

bool Control::closing() const { return shows(descriptor_, POLLRDHUP); }

void Control::barrier() {
    send("here");
    if (const std::string answer = receive(); answer != "here") { throw PeerLost("the peer is elsewhere: " + answer); }
}

Addresses resolve(const std::string& host, const std::string& port) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int code = getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found);
    if (code != 0) { throw std::runtime_error("cannot resolve " + host + ":" + port + ": " + gai_strerror(code)); }
    return {found, freeaddrinfo};
}

std::pair<Control, Control> control_pair() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) { throw system_failure("socketpair"); }
    return {Control(ends[0]), Control(ends[1])};
}

Control listen_for_peer(const std::string& address, const std::string& port) {
    const Addresses addresses = resolve(address, port);
    const int listener = socket(addresses->ai_family, SOCK_STREAM, 0);
    const Control closer(listener);
    const int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (listener < 0 || bind(listener, addresses->ai_addr, addresses->ai_addrlen) != 0 || listen(listener, 1) != 0) {
        throw system_failure("cannot listen on port " + port);
    }
    wait_readable(listener);
    const int peer = accept(listener, nullptr, nullptr);
    if (peer < 0) { throw system_failure("accept"); }
    return without_delay(peer);
}

Control connect_to_peer(const std::string& host, const std::string& port) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const Addresses addresses = resolve(host, port);
    for (;;) {
        for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
            const int peer = socket(one->ai_family, SOCK_STREAM, 0);
            if (peer >= 0 && connect(peer, one->ai_addr, one->ai_addrlen) == 0) { return without_delay(peer); }
            const int why = errno;
            const Control closer(peer);
            errno = why;
        }
        if (std::chrono::steady_clock::now() > until) {
            throw system_failure(std::string("cannot reach a probe at ").append(host).append(":").append(port));
        }
        stop_if_asked();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

}  // namespace probe
