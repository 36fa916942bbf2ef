#pragma once
// The software that issues messages: an MPI, verbs, sockets, CUDA copies. A part of kind `messaging`, like a library's
// release: what one message costs at either end, which sizes are sent at once (eager) and which ask first (rendezvous),
// and how many messages its benchmark keeps in flight.

#include <string>

#include "sim/plan/transfers/data_path.hpp"

namespace fabricast::inline transfers {

struct Messaging {
    std::string name;
    Duration send, send_gap;        // until the message is handed over; until the next one can be
    Duration receive, receive_gap;  // the same at the receiver
    double inject_max = 0;          // largest message, in bytes, that a core writes into the command itself
    Duration payload_read;          // added for larger messages, which the adapter has to read from memory
    double eager_max = 0;           // bytes; larger messages ask first. Infinite: none does
    double gpu_eager_max = 0;       // the same for GPU memory
    double gpu_bounce_max = 0;      // largest message in GPU memory, in bytes, that a core first copies to the host
    Duration gpu_bounce;
    Duration rendezvous;          // the receiver's time to answer a message that asks
    bool offloaded = false;       // the receiver's adapter answers, not a core
    std::string inside_node;      // transport between ends in one node; empty: as `auto`
    double read_outstanding = 0;  // bytes in flight of a kernel's loads; 0: a copy engine, no limit
    std::uint32_t window = 64;
    bool by_core = true;        // a core hands messages over; false: threads of a GPU do
    bool in_order = false;      // a message begins when the previous one has ended
    bool acknowledged = false;  // the benchmark waits for an answer after each window
};

// Throws CatalogError.
Messaging messaging_of(const std::string& name, DataPathFigures& figures);

}  // namespace fabricast::inline transfers
