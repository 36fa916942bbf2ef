#pragma once
// A data path: what one message goes through between two devices, as an ordered list of legs (engines that move it and
// the links they cross), fixed latencies and the work of processors. A transport is a pure function from devices and
// conditions to a data path or a refusal in words; message_schedule.hpp makes operations of a schedule of it, so that
// engines simulate what can be simulated.

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "models/evidence.hpp"
#include "sim/plan/transfers/transfer_workload.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// A fixed time that no link's latency holds: an engine's start, a system call, an interrupt.
struct LatencyTerm {
    std::string what{};
    Duration time, low80, high80;
    std::string figure;  // "kernel-tcp/wake", the catalogue's
};

// One engine that moves bytes: a copy engine, an adapter, a core.
struct Leg {
    std::string what{};
    // Crossed at once by each byte: a core that copies loads from memory and stores to it.
    std::vector<PathQuery> paths{};
    double wire_ratio = 1;                                      // wire bytes per payload byte
    double rate_cap = std::numeric_limits<double>::infinity();  // payload bytes per second of the engine itself
    std::string cap{};                                          // what caps it, in words
    Duration start{};                                           // before the first byte of each piece
    Duration restart{};                                         // of each piece but a message's first, beside `start`
    bool dma = true;                                            // a device does it; else a core
    bool reads = false;  // the engine stands at the far end and reads: what it keeps under way may limit it
    // A copy inside one GPU's memory: this traffic of its memory per payload byte, and no path.
    double memory_traffic = 0;
};

// What a core does for one message; `per_byte` is told for the report, its limit is the leg's rate_cap. A blocking work
// keeps its core until it is done and the message waits for it; else it is told, and the latency terms hold it.
struct CoreWork {
    bool receiver = false;
    std::string what{};
    Duration per_message;
    double seconds_per_byte = 0;
    bool blocks = false;
};

struct DataPath {
    std::string transport;  // the catalogue part of kind `data-path`
    std::vector<LatencyTerm> latency;
    std::vector<Leg> legs;
    Bytes piece{0};  // legs follow each other piece by piece; 0: by whole messages
    int slots = 2;   // pieces of buffer between two legs
    std::vector<CoreWork> work;
    std::vector<std::string> notes;

    int copies() const;  // by cores and copy engines, beside what adapters move
    int dma_crossings() const;
    Duration fixed_latency() const;
};

// Why not, in words for a person: "ACS is on: peer traffic goes through the root port".
struct Refusal {
    std::string reason;
};

// Figures of the catalogue's data paths, each noted when it is read.
class DataPathFigures {
public:
    explicit DataPathFigures(const Catalog& catalog) : catalog_(&catalog) {}

    // Throws CatalogError.
    double number(std::string_view part, std::string_view figure);
    LatencyTerm latency(std::string what, std::string_view part, std::string_view figure);
    const Part& part(std::string_view name) const;
    const Catalog& catalog() const { return *catalog_; }
    std::vector<FigureUsed> used() const;

private:
    const Figure& read(std::string_view part, std::string_view figure);

    const Catalog* catalog_;
    std::map<std::pair<std::string, std::string>, const Figure*> used_;
};

// What a transport is asked.
struct PathRequest {
    const Fabric& fabric;
    DeviceId from{}, to{};
    Bytes bytes;  // of the largest message
    TransferOperation operation = TransferOperation::write;
    const HostConditions& host;
    DataPathFigures& figures;
};

// One transport's answer.
struct PathAttempt {
    std::optional<DataPath> path;
    std::string refusal;

    PathAttempt(DataPath p) : path(std::move(p)) {}           // NOLINT(google-explicit-constructor)
    PathAttempt(Refusal r) : refusal(std::move(r.reason)) {}  // NOLINT(google-explicit-constructor)
};

}  // namespace fabricast
