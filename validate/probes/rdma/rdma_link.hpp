#pragma once
// A Link over reliable connections: posts go round-robin over the queue pairs, receives in the same order.

#include <memory>
#include <string>

#include "core/control.hpp"
#include "core/link.hpp"
#include "rdma/verbs.hpp"

namespace probe {

struct RdmaSettings : LinkSettings {
    int queue_pairs = 1;
    std::string host;          // whom the leading end connects to; the other end may say better
    std::string rdma_address;  // own address for rdma-cm; empty: any
};

// Both ends call this at the same time with the same settings; `leads` connects, the other accepts. The link describes
// how its memory came to be registered: "host", "gpu dma-buf", "gpu peermem". Throws what Verbs throws.
std::unique_ptr<Link> connect_rdma(Control& control, Verbs& verbs, const RdmaSettings& settings, bool leads);

// Seconds to register and to deregister host memory of so many bytes.
struct RegistrationTime {
    double register_s = 0;
    double deregister_s = 0;
};
RegistrationTime time_registration(Verbs& verbs, Arena& arena, std::size_t bytes, double (*clock)());

}  // namespace probe
