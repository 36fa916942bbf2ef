#pragma once
// Measurements of transfers between two devices (kinds p2p, rdma and other) beside their forecasts. The words of a file
// become scenarios through validate/transfers.yaml, as derive.hpp does it for collectives; what no row understands is
// said by name and not forecast.

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

struct TransferAliases {
    AliasList systems, libraries, tools, tests;
};

// One number of a table.
struct TransferPoint {
    std::string label;  // "gpu0 -> gpu3", "64 KiB", a test's name
    Bytes size;
    bool latency = false;  // seconds, else bytes per second
    double measured = 0;
    double forecast = 0;
    std::string transport;
    std::string left_out;  // why there is no forecast, or it does not count
    double error() const { return latency ? forecast / measured - 1 : measured / forecast - 1; }  // of time
};

struct TransferComparison {
    std::string id, kind, source, system;  // "p2p", "rdma", "other"
    std::vector<std::string> assumptions;
    std::string uncounted;  // why the whole file does not count
    bool latency_matrix = false;
    std::vector<TransferPoint> points;
};

// What a file says, as scenarios; the forecasts stand still at zero.
struct TransferCase {
    TransferComparison comparison;
    std::vector<Scenario> scenarios;  // one a point; empty name: none
    std::vector<bool> posted;         // the time ends when the core is done, not when the bytes have arrived
};

}  // namespace fabricast
