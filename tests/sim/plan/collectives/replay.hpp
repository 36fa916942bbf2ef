#pragma once
// Replays a Program with symbols: a piece is the set of ranks whose contribution it holds, one bit each.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast::test {

using Contributors = std::uint64_t;

struct Memory {
    std::uint32_t pieces = 0;
    std::vector<Contributors> held;  // by device and piece; 0: nothing
    Contributors& at(std::uint32_t device, std::uint32_t piece) { return held[std::size_t{device} * pieces + piece]; }
};

inline Memory empty_memory(const Program& p) {
    return {p.pieces, std::vector<Contributors>(std::size_t{p.ranks + p.relays} * p.pieces, 0)};
}

// Every rank contributes to every piece.
inline Memory every_rank_its_own(const Program& p) {
    Memory memory = empty_memory(p);
    for (std::uint32_t r = 0; r < p.ranks; ++r) {
        for (std::uint32_t piece = 0; piece < p.pieces; ++piece) { memory.at(r, piece) = Contributors{1} << r; }
    }
    return memory;
}

// Throws when a message sends what its sender does not hold, or adds a contribution twice.
inline void replay(const Program& p, Memory& memory) {
    for (std::size_t i = 0; i < p.messages.size();) {
        const std::uint32_t step = p.messages[i].step;
        const Memory before = memory;
        for (; i < p.messages.size() && p.messages[i].step == step; ++i) {
            const Message& m = p.messages[i];
            for (std::uint32_t piece = m.first; piece < m.first + m.count; ++piece) {
                const Contributors sent = before.held[std::size_t{m.src} * p.pieces + piece];
                const std::string where = p.name + ": step " + std::to_string(step) + ", " + std::to_string(m.src) +
                                          " to " + std::to_string(m.dst) + ", piece " + std::to_string(piece);
                if (sent == 0) { throw std::runtime_error(where + ": nothing to send"); }
                Contributors& held = memory.at(m.dst, piece);
                if (m.reduce && (held & sent) != 0) { throw std::runtime_error(where + ": a contribution twice"); }
                held = m.reduce ? held | sent : sent;
            }
        }
        if (i < p.messages.size() && p.messages[i].step < step) {
            throw std::runtime_error(p.name + ": steps out of order");
        }
    }
}

}  // namespace fabricast::test
