#pragma once
// What the probe needs of verbs and no more, so that a test can stand in for the HCA: reliable connections, memory
// regions, posts and completions. The real one is device.cpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/link.hpp"
#include "core/writer.hpp"

namespace probe {

// Registered memory; `handle` means something to its Verbs only.
struct Region {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    std::uint32_t local_key = 0;
    std::uint32_t remote_key = 0;
    void* handle = nullptr;
};

struct QueueCapacity {
    int sends = 1;  // posted and not completed, at most
    int receives = 1;
    int inline_bytes = 0;  // asked for; what was granted may be less
};

struct WorkRequest {
    Operation operation = Operation::send;  // put: RDMA write, get: RDMA read
    std::uint64_t local_address = 0;
    std::uint32_t local_key = 0;
    std::uint64_t remote_address = 0;  // put and get
    std::uint32_t remote_key = 0;
    std::uint32_t bytes = 0;
    bool inlined = false;  // the bytes go with the request: send and put only
};

struct Completion {
    bool receive = false;
    bool good = true;
    std::string error;  // "remote access error"
};

// One reliable connection with its completion queue.
class QueuePair {
public:
    virtual ~QueuePair() = default;
    virtual int inline_bytes() const = 0;
    // Throw std::runtime_error where the queue refuses: full, or in error.
    virtual void post(const WorkRequest& request) = 0;
    virtual void post_receive(std::uint64_t address, std::uint32_t bytes, std::uint32_t local_key) = 0;
    // The next completion, or nothing yet.
    virtual std::optional<Completion> poll() = 0;
};

class Verbs {
public:
    virtual ~Verbs() = default;
    // Connections come by rdma-cm: one end says where it listens, the other connects; each call makes one.
    virtual std::string listen(const std::string& address) = 0;  // "PORT" or "ADDRESS PORT"
    virtual std::unique_ptr<QueuePair> accept(const QueueCapacity& capacity) = 0;
    virtual std::unique_ptr<QueuePair> connect(const std::string& host, const std::string& where,
                                               const QueueCapacity& capacity) = 0;

    // After the first connection. Throw std::runtime_error where the memory cannot be registered.
    virtual Region register_memory(void* data, std::size_t bytes) = 0;
    virtual Region register_dma_buf(int descriptor, std::size_t bytes, std::uint64_t address) = 0;
    virtual void deregister(const Region& region) = 0;
    // What a file says of the HCA: its name and parts, network and place.
    virtual Section facts() const = 0;
};

// The machine's. Throws NotHere without an HCA.
std::unique_ptr<Verbs> open_verbs();

}  // namespace probe
