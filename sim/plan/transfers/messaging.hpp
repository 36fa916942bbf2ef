#pragma once
// The software that issues messages: an MPI, verbs, sockets, CUDA copies. A part of kind `messaging`, like a library's
// release: what one message costs at either end, which sizes go at once (eager) and which ask first (rendezvous), and
// what its benchmark keeps in flight.

#include <string>

#include "sim/plan/transfers/data_path.hpp"

namespace fabricast {

struct Messaging {
    std::string name;
    Duration send, send_gap;        // until the message is handed over; until the next may be
    Duration receive, receive_gap;  // the same at the receiver
    double inject_max = 0;          // bytes that a core puts into the command itself
    Duration payload_read;          // more for what is not: the adapter reads it
    double eager_max = 0;           // bytes; larger ask first. Infinite: nothing asks
    double gpu_eager_max = 0;       // the same of GPU memory
    double gpu_bounce_max = 0;      // bytes of GPU memory that a core copies out first, with `gpu_bounce`
    Duration gpu_bounce;
    Duration rendezvous;          // the receiver's work to answer a message that asks
    bool offloaded = false;       // its adapter does that, no core
    std::string inside_node;      // transport between ends of one node; empty: as `auto`
    double read_outstanding = 0;  // bytes that a kernel's loads keep under way; 0: a copy engine's, no limit
    std::uint32_t window = 64;
    bool by_core = true;        // a core hands messages over, else threads of a GPU
    bool in_order = false;      // a message begins when the one before has ended
    bool acknowledged = false;  // the benchmark waits for an answer after each window
};

// Throws CatalogError.
Messaging messaging_of(const std::string& name, DataPathFigures& figures);

}  // namespace fabricast
