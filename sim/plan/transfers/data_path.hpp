#pragma once
// A data path: how one message gets from one device to another, as an ordered list of legs (engines that move it and
// the links that they cross), fixed latencies and the work of processors. A transport is a pure function from devices
// and conditions to a data path or a refusal in words; message_schedule.hpp turns the path into operations of a
// schedule for the engines.

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "sim/plan/transfers/transfer_workload.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline transfers {

// A fixed time that is not part of a link's latency: an engine's start, a system call, an interrupt.
struct LatencyTerm {
    std::string what{};
    Duration time, low80, high80;
    std::string figure;  // its name in the catalogue: "kernel-tcp/wake"
};

// One engine that moves bytes: a copy engine, an adapter, a core.
struct Leg {
    std::string what{};
    // Each byte crosses all of these at the same time: a core that copies both loads from memory and stores to it.
    std::vector<PathQuery> paths{};
    double wire_ratio = 1;                                      // wire bytes per payload byte
    double rate_cap = std::numeric_limits<double>::infinity();  // payload bytes per second of the engine itself
    std::string cap{};                                          // what caps it, in words
    Duration start{};                                           // before the first byte of each piece
    Duration restart{};  // added to `start` for all pieces of a message but the first
    bool dma = true;     // a device moves the bytes; false: a core does
    bool reads = false;  // the engine is at the far end and reads: its bytes in flight may limit it
    // For a copy inside one GPU's memory, which has no path: memory traffic in bytes per payload byte.
    double memory_traffic = 0;

    bool on_network() const { return !paths.empty() && paths.front().kind == PathKind::network; }
    // Makes the engine no faster than `rate`, because of `why`.
    void limit(double rate, std::string_view why);
};

// What a core does for one message. `seconds_per_byte` is for the report only: the leg's rate_cap sets the limit. If
// `blocks`, the message waits for the work and it occupies its core; if not, it is only reported, because the latency
// terms include it.
struct CoreWork {
    bool receiver = false;
    std::string what{};
    Duration per_message;
    double seconds_per_byte = 0;
    bool blocks = false;
};

struct DataPath {
    std::string transport{};  // the catalogue part of kind `data-path`
    std::vector<LatencyTerm> latency{};
    std::vector<Leg> legs{};
    Bytes piece{0};  // legs pass on pieces of this size; 0: whole messages
    int slots = 2;   // buffers, of one piece each, between two legs
    std::vector<CoreWork> work{};
    std::vector<std::string> notes{};

    int copies() const;  // made by cores and copy engines; adapters do not count
    int dma_crossings() const;
    Duration fixed_latency() const;
};

// The reason for a refusal, as text for the user: "neither end is a GPU".
struct Refusal {
    std::string reason;
};

using PathAttempt = std::variant<DataPath, Refusal>;

// Reads figures of the catalogue's data paths and records each.
class DataPathFigures {
public:
    explicit DataPathFigures(const Catalog& catalog) : catalog_(&catalog) {}

    // Throws CatalogError.
    double number(std::string_view part, std::string_view figure);
    LatencyTerm latency(std::string what, std::string_view part, std::string_view figure);
    const Part& part(std::string_view name) const;
    const Catalog& catalog() const { return *catalog_; }
    std::vector<FigureUsed> used() const { return log_.figures(); }

private:
    const Catalog* catalog_;
    FigureLog log_;
};

struct PathRequest;

// A row of the table of transports.
struct Transport {
    std::string name;  // of its part of kind `data-path`: "nvlink-p2p"
    PathAttempt (*ask)(const PathRequest& request);
};
std::span<const Transport> every_transport();  // those in kinds/

// What a transport needs to know.
struct PathRequest {
    const Fabric& fabric;
    DeviceId from{}, to{};
    Bytes bytes;  // size of the message
    TransferOperation operation = TransferOperation::write;
    const HostConditions& host;
    DataPathFigures& figures;
    std::span<const Transport> transports = every_transport();  // to choose from
    Direction direction = Direction::one_way;
};

}  // namespace fabricast::inline transfers
