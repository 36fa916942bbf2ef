#pragma once
// Measurements of transfers between two devices (kinds p2p, rdma and other) beside their forecasts. The words of a file
// become scenarios through validate/transfers.yaml, as derive.hpp does it for collectives; what no row understands is
// said by name and not forecast.

#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/io/json.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/alias.hpp"
#include "validate/measurement.hpp"

namespace fabricast {

struct TransferAliases {
    AliasList systems, libraries, tools, tests;
};

// Throws ScenarioError where the table is malformed.
TransferAliases parse_transfer_aliases(std::string_view yaml, const std::string& file);
const TransferAliases& builtin_transfer_aliases();

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

// What a file says, as scenarios; the forecasts stand still at zero. Throws ScenarioError for a file that no row
// understands.
struct TransferCase {
    TransferComparison comparison;
    std::vector<Scenario> scenarios;  // one a point; empty name: none
    std::vector<bool> posted;         // the time ends when the core is done, not when the bytes have arrived
};
TransferCase derive_transfers(const Measurement& measurement, const TransferAliases& table);

// The whole path: words, scenarios, forecasts.
TransferComparison compare_transfers(const Measurement& measurement, const TransferAliases& table,
                                     const Catalog& catalog);

bool is_transfer(const Measurement& measurement);
std::string to_text(const TransferComparison& comparison);
Json to_json(const TransferComparison& comparison);

}  // namespace fabricast
