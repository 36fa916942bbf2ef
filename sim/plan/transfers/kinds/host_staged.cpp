// From GPU to GPU through pinned host memory: one copy engine writes it, another one reads it, piece by piece.

#include <fmt/format.h>

#include "base/unit_text.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt host_staged(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) || !is_gpu(r.fabric, r.to) || !same_node(r) || r.from == r.to) {
        return Refusal{"staging through host memory is between two GPUs of one node"};
    }
    const auto memory = memory_beside(r.fabric, r.to, r.host.numa);
    if (!memory || !path_between(r.fabric, query(r.from, *memory)) || !path_between(r.fabric, query(*memory, r.to))) {
        return Refusal{"the node template draws no host memory to stage through"};
    }
    DataPath path;
    cut_into_pieces(r, "host-staged", path);
    const Bytes buffer = path.piece * path.slots;
    if (r.host.locked_memory.count > 0 && r.host.locked_memory < buffer) {
        return Refusal{
            fmt::format("the locked-memory limit of {} is below the {} of pinned staging buffer (`ulimit -l`)",
                        text(r.host.locked_memory), text(buffer))};
    }
    path.legs = {copy_engine(r, r.from, *memory, name_of(r, *memory)),
                 copy_engine(r, *memory, r.to, name_of(r, *memory))};
    for (Leg& leg : path.legs) { leg.start = from_seconds(r.figures.number("host-staged", "piece_start")); }
    path.latency = {r.figures.latency("the engines wait for each other", "host-staged", "handover")};
    return path;
}

}  // namespace fabricast::inline transfers::transports
