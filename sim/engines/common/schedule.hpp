#pragma once
// The interface between workloads and engines: every workload is lowered to a Schedule, every engine replays one on a
// Fabric, and neither knows the other. A Schedule is a DAG by construction (an operation depends only on earlier ones)
// in struct-of-arrays form with integer ids.

#include <cassert>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "sim/engines/common/edges.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline engine_common {

enum class OpId : std::uint32_t {};
constexpr std::uint32_t index(OpId op) { return static_cast<std::uint32_t>(op); }

enum class OpKind : std::uint8_t { transfer, pipeline, compute, delay };

// When a dependency is met. `release`: the operation has released its stream (its last byte has left the first sender),
// so the next launch may start; `finish`: its last byte has arrived everywhere.
enum class DependsOn : std::uint8_t { finish, release };

// A directed stream of messages. Messages of one connection are FIFO: the fluid phase of one starts no earlier than
// that of its predecessor ends (their latencies overlap). Without this a jittered ring takes twice its real time.
struct Connection {
    PathQuery path;
    double wire_ratio = 1;                                      // wire bytes per payload byte (protocol flags)
    double rate_cap = std::numeric_limits<double>::infinity();  // payload bytes per second
};

// One message: ready -> `start` + path latency -> bytes at the max-min fair share of the path -> finish.
struct Transfer {
    std::uint32_t connection = 0;
    Bytes bytes;
    Duration start;  // issue cost and software latency before the first byte
};

// One class of hops on a pipeline's critical path.
struct Stage {
    double count = 0;   // how many such hops; ring all-reduce: 2(n-1) in all
    PathQuery hop;      // a representative hop: its path latency is part of the stage
    Duration overhead;  // what protocol and library add to the hop's latency
    Duration credit{};  // what they add to the latency of the way back, on which the slot is told to be free
};

// A rate-coupled set of edges moving one stream chunk by chunk: the steady state of a chunked ring, tree, chain or
// in-switch collective. Every edge moves wire bytes at one common pace; with chunk time
//     tau   = max( chunk * wire / share over the links of the edges, chunk / edge_rate_cap + chunk_overhead,
//                  chunk_posting )
// (a link counts as often as the edges cross it, times weight; wire is wire_ratio on edges inside a node and
// network_wire_ratio on edges between nodes: protocols cost them differently),
//     stage = latency + own / slices
// where latency = overhead + path latency of the stage's hop and own <= tau is the chunk time of that hop alone: a
// chunk crosses NVLink at NVLink's pace even if the NIC is the bottleneck, and the first chunk of a tree, which goes up
// before it comes down, at `turns` times the share that the links have once both ways are busy,
//     way = sum(count * stage) - largest own / slices     time of the last slice from end to end
//     T   = start + tau + way + stream(chunks - 1)        chunks = bytes_per_edge / chunk + fill
// where stream(x) is x * tau, or longer if the window holds it up: a slot is free again when its chunk has
// arrived and the credit is back. It is
// released `way` before T: the first sender is done once its stream has left. A ring (`cyclic`), whose stages are
// successive steps of one edge, streams only the chunks beyond sum(count), lasts at least as long as its slowest edge
// and its windows need, and is released at T. docs/engines.md derives it.
struct Pipeline {
    std::uint32_t edges = 0;    // index into Schedule::edge_sets
    double bytes_per_edge = 0;  // payload of one of the `weight` channels
    double chunk = 0;           // payload bytes of one dependent step; > 0, <= bytes_per_edge
    double slots = 8;           // chunks in flight per edge; a fraction is an average over time
    double calls = 1;  // equal ones, one after the other: bytes, start, fill and stages here are of all of them
    int slices = 1;    // pieces of a chunk, each forwarded separately
    bool cyclic = false;
    double turns = 1;  // parts of the stream's load that follow each other: a tree's way up and its way down
    std::uint32_t first_stage = 0, stage_count = 0;  // range in Schedule::stages
    double fill = 0;                                 // chunks of streaming that overlap with nothing
    Duration chunk_overhead;                         // per chunk, on top of its time at edge_rate_cap
    Duration chunk_posting;  // per chunk on edges between nodes: hosts post its messages while the link works
    double edge_rate_cap = std::numeric_limits<double>::infinity();  // payload bytes per second and channel
    double wire_ratio = 1;          // wire bytes per payload byte on edges inside a node
    double network_wire_ratio = 1;  // the same on edges between nodes
    Duration start;
    double weight = 1;                                       // identical channels on the same edges
    std::uint32_t first_occupancy = 0, occupancy_count = 0;  // range in Schedule::occupancies
};

// What a pipeline takes from the kernels of a device while it runs, from the end of its `start` to its finish: the SMs
// that its channels hold, and the memory traffic of the whole operation on that device, spread over its running time.
struct Occupancy {
    DeviceId device{};
    std::uint16_t sms = 0;
    double memory_bytes = 0;
};

// Work, not time: a device shares SMs and memory bandwidth among what runs on it. A stream is FIFO.
struct Compute {
    DeviceId device{};
    std::uint16_t stream = 0;
    std::uint16_t sms = 0;  // SMs it may occupy; 0: all
    double flops = 0;
    double bytes = 0;  // memory traffic
    double peak = 0;   // FLOP/s of its precision on the whole device
};

// A host thread busy for `duration`; delays of one host are FIFO.
struct Delay {
    std::uint32_t host = 0;  // node index or rank, as the planner chooses: only equality matters
    Duration duration;
};

class Schedule {
public:
    std::vector<Connection> connections;
    std::vector<EdgeSet> edge_sets;
    std::vector<Stage> stages;
    std::vector<Occupancy> occupancies;
    std::vector<Transfer> transfers;
    std::vector<Pipeline> pipelines;
    std::vector<Compute> computes;
    std::vector<Delay> delays;

    std::size_t size() const { return kinds_.size(); }
    OpKind kind(OpId op) const { return kinds_[index(op)]; }
    std::uint32_t detail(OpId op) const { return details_[index(op)]; }  // index into the vector of its kind

    struct Dependency {
        OpId op{};
        DependsOn when = DependsOn::finish;
    };
    std::size_t dependency_count(OpId op) const { return dependency_end_[index(op)] - begin(op); }
    Dependency dependency(OpId op, std::size_t i) const {
        const std::uint32_t word = dependencies_[begin(op) + i];
        return {OpId{word & ~release_bit}, (word & release_bit) != 0 ? DependsOn::release : DependsOn::finish};
    }

    using After = std::span<const Dependency>;
    // Each returns the new operation's id. Precondition: dependencies are earlier operations.
    OpId add(const Transfer& t, After after = {}) { return append(OpKind::transfer, transfers, t, after); }
    OpId add(const Pipeline& p, After after = {}) {
        assert(p.chunk > 0 && p.edges < edge_sets.size());
        return append(OpKind::pipeline, pipelines, p, after);
    }
    OpId add(const Compute& c, After after = {}) { return append(OpKind::compute, computes, c, after); }
    OpId add(const Delay& d, After after = {}) { return append(OpKind::delay, delays, d, after); }

    std::span<const Stage> stages_of(const Pipeline& p) const {
        return std::span(stages).subspan(p.first_stage, p.stage_count);
    }
    // Wire bytes of a message.
    double wire_bytes(const Transfer& t) const {
        return static_cast<double>(t.bytes.count) * connections[t.connection].wire_ratio;
    }

    // Operations whose times the Timeline must keep; if there are none, the engine keeps the last one.
    std::vector<OpId> kept;

private:
    static constexpr std::uint32_t release_bit = 0x80000000U;

    std::size_t begin(OpId op) const { return index(op) == 0 ? 0 : dependency_end_[index(op) - 1]; }
    template <class Operation>
    OpId append(OpKind kind, std::vector<Operation>& of_kind, const Operation& operation, After after) {
        const auto id = static_cast<std::uint32_t>(kinds_.size());
        details_.push_back(static_cast<std::uint32_t>(of_kind.size()));
        of_kind.push_back(operation);
        for (const Dependency& d : after) {
            assert(index(d.op) < id);
            dependencies_.push_back(index(d.op) | (d.when == DependsOn::release ? release_bit : 0U));
        }
        kinds_.push_back(kind);
        dependency_end_.push_back(static_cast<std::uint32_t>(dependencies_.size()));
        return OpId{id};
    }

    std::vector<OpKind> kinds_;
    std::vector<std::uint32_t> details_;
    std::vector<std::uint32_t> dependency_end_;
    std::vector<std::uint32_t> dependencies_;
};

// Schedule::kept, or the last operation if it names none.
inline std::vector<OpId> kept_of(const Schedule& schedule) {
    if (!schedule.kept.empty() || schedule.size() == 0) { return schedule.kept; }
    return {OpId{static_cast<std::uint32_t>(schedule.size() - 1)}};
}

// "operation 3 (node0.gpu0 to node1.gpu0)".
std::string described(const Fabric& fabric, const Schedule& schedule, OpId op);

}  // namespace fabricast::inline engine_common
