#pragma once
// A Link over UCX: UCX picks the wire (shared memory, TCP, RDMA, CUDA) among those it is allowed.

#include <memory>
#include <string>

#include "core/control.hpp"
#include "core/link.hpp"

namespace probe {

struct UcxSettings {
    std::string transports;  // UCX_TLS: "shm", "tcp", "rc,cuda", "all"
    std::string devices;     // UCX_NET_DEVICES; empty: UCX's choice
    bool gpu = false;        // arenas in GPU memory
    int gpu_index = 0;
    std::size_t bytes = 0;  // of each arena
    int depth = 64;
};

struct UcxLink : Link {
    // The wires that UCX chose, as it names them.
    virtual std::string lanes() const = 0;
};

// Both ends call this at the same time with the same settings; addresses and keys cross over `control`. Throws NotHere
// where UCX has no such transport, std::runtime_error where it fails.
std::unique_ptr<UcxLink> connect_ucx(Control& control, const UcxSettings& settings);

std::string ucx_version();

}  // namespace probe
