#pragma once
// The result of a run: rows as nccl-tests prints them, each with its bottleneck and its evidence.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "models/evidence.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/plan/training/goodput.hpp"

namespace fabricast::inline report {

struct Row {
    Bytes size;
    double time_s = 0;
    double time_low80_s = 0, time_high80_s = 0;
    double algbw = 0, busbw = 0;  // bytes per second
    std::string algorithm, protocol;
    int channels = 0;
    std::string bottleneck;  // "node0.gpu3 -> node0.nvswitch 97 %" or "latency", "issue"
    Evidence evidence = Evidence::formula_only;
};

struct ScalingPoint {
    std::uint32_t nodes = 0, gpus = 0;
    double busbw = 0;           // at the largest size
    double busbw_retained = 0;  // busbw / busbw of the first point
    std::optional<double> step_time_s, exposed_comm_s, efficiency;
};

// One training step on one cluster size. The parts (compute, bubble, fixed, exposed_*) are seconds averaged over the
// pipeline stages; they add up to the step.
struct StepRow {
    std::uint32_t nodes = 0, gpus = 0, data_ranks = 0, global_batch = 0;
    double step_time_s = 0, time_low80_s = 0, time_high80_s = 0;
    double samples_per_s = 0, tokens_per_s = 0;  // tokens: 0 for image models
    double flops_per_gpu = 0, mfu = 0;  // FLOP/s by the operations the model needs; as a share of the precision's peak
    double compute_s = 0, bubble_s = 0, fixed_s = 0;
    double bubble_imbalance_s = 0, bubble_waits_s = 0;                          // of bubble_s
    double products_s = 0, attention_s = 0, small_kernels_s = 0, logits_s = 0;  // of compute_s
    double exposed_tensor_s = 0, exposed_context_s = 0, exposed_expert_s = 0, exposed_pipeline_s = 0,
           exposed_data_s = 0;
    double exposed_s() const {
        return exposed_tensor_s + exposed_context_s + exposed_expert_s + exposed_pipeline_s + exposed_data_s;
    }
    double parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0, activation_bytes = 0, reserved_bytes = 0;
    double memory_bytes() const {
        return parameter_bytes + gradient_bytes + optimizer_bytes + activation_bytes + reserved_bytes;
    }
    std::string bottleneck;          // "compute 71 %", "tensor-parallel 14 %"
    std::string busiest_link;        // "node0.nic0 -> leaf0 12 %"; empty: none
    double efficiency = 1;           // throughput per GPU / that of the first row of its table
    std::optional<Goodput> goodput;  // if the scenario asks for it
    Evidence evidence = Evidence::formula_only;
};

// The parts of a step, which add up to it, by the names that reports give them.
struct StepPart {
    const char* name;
    double StepRow::*seconds;
};
inline constexpr std::array<StepPart, 8> step_parts = {{{"compute", &StepRow::compute_s},
                                                        {"tensor-parallel", &StepRow::exposed_tensor_s},
                                                        {"context-parallel", &StepRow::exposed_context_s},
                                                        {"expert-parallel", &StepRow::exposed_expert_s},
                                                        {"pipeline", &StepRow::exposed_pipeline_s},
                                                        {"data-parallel", &StepRow::exposed_data_s},
                                                        {"bubble", &StepRow::bubble_s},
                                                        {"fixed", &StepRow::fixed_s}}};
// By the number of a CommKind.
constexpr const StepPart& comm_part(std::size_t kind) { return step_parts.at(1 + kind); }

// The calls of one collective on all groups of one name and size; messages between pairs count as `sendrecv`.
struct ReplayUse {
    std::string group;  // the communicator's name in the trace; empty: it has none
    std::uint32_t ranks = 0, groups = 0;
    std::string collective;
    std::uint64_t calls = 0;
    double bytes = 0;   // nccl-tests' size, summed over the calls
    double time_s = 0;  // summed over the calls, each from the arrival of its last rank
};

// The time of one rank, in seconds. Computing and communicating may overlap; the exposed part does not.
struct ReplayRank {
    std::uint32_t rank = 0;
    std::string device;    // "node0.gpu3"
    double compute_s = 0;  // while at least one kernel runs
    double comm_s = 0;     // while at least one call runs
    double waiting_s = 0;  // while it only waits for other ranks to arrive at a call
    double exposed_s = 0;  // calls and waiting while no kernel runs
    double end_s = 0;      // end of its last record
};

// A replayed trace: how long it takes, what each rank does meanwhile, what communication costs, and the bottleneck.
struct ReplayReport {
    std::string format;  // "kineto"
    std::uint32_t recorded = 0, ranks = 0, steps = 1;
    double makespan_s = 0;
    std::optional<double> recorded_s;  // how long the recording itself took; none: not known
    std::vector<ReplayUse> uses;
    std::vector<ReplayRank> members;  // one for each watched rank
    std::string bottleneck;           // "node0.nic0 -> leaf0 97 %", "kernels of rank 3: 81 %"
};

// One operation of one row in simulated time, for the trace.
struct TraceSpan {
    std::string row;   // "4 MiB"
    std::string lane;  // a sequence of operations: a host, a connection, a pipeline
    std::string name;
    Time start, finish;
};

// What the packet engine counted in one row's replay, with the names of its ports.
struct PacketTraffic {
    Bytes size;
    PacketUse use;
    std::vector<std::string> ports, series;  // names of the entries of use.ports and use.series
    std::vector<Time> call_ends = {};        // of a collective: when each call ended. Counts and series cover all calls
};

// What the links carried in one row's replay.
struct LinkTraffic {
    std::string row;          // "4 MiB", "1024 GPUs"
    std::uint32_t nodes = 0;  // number of nodes of the cluster
    double replay_s = 0;
    std::vector<LinkUse> busiest;
    std::vector<ClassUse> classes;
    std::vector<float> busy = {};  // as Timeline::busy
};

struct Report {
    std::string scenario;
    std::vector<Row> rows;
    std::vector<ScalingPoint> points;
    std::optional<ReplayReport> replay;  // for a recorded trace
    std::vector<StepRow> steps;  // for training: one row for the scenario's cluster, or one for each size in `scaling`
    std::vector<FigureUsed> figures;
    std::vector<std::string> evidence_notes;  // why the weakest evidence is weak, in words
    std::vector<std::string> notes;           // assumptions
    std::vector<std::string> idle_events;     // those of `notes` that name an event which no time shows
    std::vector<LinkTraffic> traffic;         // one for each row of `rows` or `steps`
    std::vector<PacketTraffic> packets;       // engine packet: one for each row
    std::vector<TraceSpan> trace;             // only if SimulateOptions::trace is set
};

}  // namespace fabricast::inline report
