#pragma once
// The answer: rows as nccl-tests prints them, each with what bounds it and what it rests on.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/units.hpp"
#include "sim/report/replay.hpp"
#include "sim/timeline.hpp"

namespace fabricast {

// What a forecast rests on, weakest last.
enum class Evidence : std::uint8_t { measured_here, same_gpu_era_fabric, same_family, formula_only };
std::string_view word(Evidence);  // "measured here", "same GPU, era and fabric", "same family", "formula only"

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
    double busbw_retained = 0;  // against the first point
    std::optional<double> step_time_s, exposed_comm_s, efficiency;
};

struct FigureUsed {
    std::string part, figure, unit, origin, source;
    double value = 0, low80 = 0, high80 = 0;
};

// One operation of one row on the simulated clock, for the trace.
struct TraceSpan {
    std::string row;   // "4 MiB"
    std::string lane;  // what runs one after the other: a host, a connection, a pipeline
    std::string name;
    Time start, finish;
};

// What the packet engine counted in one row's replay, its ports by name.
struct PacketTraffic {
    Bytes size;
    PacketUse use;
    std::vector<std::string> ports, series;  // of use.ports and use.series
};

struct Report {
    std::string scenario;
    std::vector<Row> rows;
    std::vector<ScalingPoint> points;
    std::optional<ReplayReport> replay;  // of a recorded trace
    std::vector<FigureUsed> figures;
    std::vector<std::string> evidence_notes;  // what the weakest evidence rests on, in words
    std::vector<std::string> notes;           // assumptions
    std::vector<PacketTraffic> packets;       // engine packet: one a row
    std::vector<TraceSpan> trace;             // only when asked for
};

}  // namespace fabricast
