#pragma once
// One end of a connected pair, whatever carries the bytes: UCX, verbs, or a test's fake. Each end owns an outgoing and
// an incoming arena of equal layout; an operation moves the same offsets from one to the other.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/arena.hpp"
#include "core/word.hpp"

namespace probe {

enum class Operation {
    send,  // outgoing here -> incoming there, which must have posted a receive
    put,   // outgoing here -> incoming there; the other end does nothing (RDMA write)
    get    // outgoing there -> incoming here; the other end does nothing (RDMA read)
};
constexpr auto words_of(Operation) { return std::array{"send", "put", "get"}; }

// What both ends of a connection agree on.
struct LinkSettings {
    std::string variant;  // the transport's own word: how this connection differs from others of the run
    bool gpu = false;     // arenas in GPU memory
    int gpu_index = 0;
    std::size_t bytes = 0;  // of each arena
    int depth = 32;
};

class Link {
public:
    virtual ~Link() = default;

    virtual Arena& outgoing() = 0;
    virtual Arena& incoming() = 0;
    // So many operations may be posted and not yet completed; receives: twice as many.
    virtual int depth() const = 0;

    virtual void post(Operation operation, std::size_t offset, std::size_t bytes) = 0;
    virtual void post_receive(std::size_t offset, std::size_t bytes) = 0;
    // Moves things on and counts what ended. Throws std::runtime_error where an operation failed.
    virtual void progress() = 0;

    // How it came to be: the wires that UCX chose, or how an HCA's memory was registered.
    virtual std::string description() const { return ""; }

    // Since the beginning: posts that ended here, receives that were filled.
    virtual std::uint64_t completed() const = 0;
    virtual std::uint64_t received() const = 0;

    // All puts have reached the other end once `flushed` says so; progress in between.
    virtual void start_flush() = 0;
    virtual bool flushed() const = 0;
};

}  // namespace probe
