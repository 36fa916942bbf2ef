#pragma once
// A Link over UCX: UCX picks the wire (shared memory, TCP, RDMA, CUDA) among those it is allowed.

#include <memory>
#include <string>

#include "core/control.hpp"
#include "core/link.hpp"

namespace probe {

// Both ends call this at the same time with the same settings; addresses and keys cross over `control`. The variant is
// UCX_TLS with + for each comma ("shm", "rc+cuda"), `devices` UCX_NET_DEVICES (empty: UCX's choice). Throws NotHere
// where UCX has no such transport, std::runtime_error where it fails.
std::unique_ptr<Link> connect_ucx(Control& control, const LinkSettings& settings, const std::string& devices);

std::string ucx_version();

}  // namespace probe
