// From GPU to GPU through pinned host memory: one copy engine writes it, another one reads it, piece by piece.

#include "base/unit_text.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::transports {

PathAttempt host_staged(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) || !is_gpu(r.fabric, r.to) || !same_node(r) || r.from == r.to) {
        return Refusal{"staging through host memory is between two GPUs of one node"};
    }
    const auto memory = memory_beside(r.fabric, r.to, r.host.numa);
    const auto out = memory ? path_between(r.fabric, query(r.from, *memory)) : std::nullopt;
    const auto in = memory ? path_between(r.fabric, query(*memory, r.to)) : std::nullopt;
    if (!out || !in) {
        return Refusal{"the node template draws no host memory to stage through"};
    }
    DataPath path;
    cut_into_pieces(r, "host-staged", path);
    const Bytes buffer = path.piece * path.slots;
    if (r.host.locked_memory.count > 0 && r.host.locked_memory < buffer) {
        return Refusal{"the locked-memory limit of " + text(r.host.locked_memory) + " is below the " + text(buffer) +
                       " of pinned staging buffer (`ulimit -l`)"};
    }
    const Duration start = from_seconds(r.figures.number("host-staged", "piece_start"));
    path.legs = {{.what = "copy engine of " + name_of(r, r.from) + " writes " + name_of(r, *memory),
                  .paths = {query(r.from, *memory)},
                  .start = start},
                 {.what = "copy engine of " + name_of(r, r.to) + " reads " + name_of(r, *memory),
                  .paths = {query(*memory, r.to)},
                  .rate_cap = read_rate(r, *in),
                  .cap = "completions of DMA reads",
                  .start = start}};
    path.latency = {r.figures.latency("the engines wait for each other", "host-staged", "handover")};
    return path;
}

}  // namespace fabricast::transports
