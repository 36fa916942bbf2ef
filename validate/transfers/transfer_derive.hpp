#pragma once
// Measurements of transfers between two devices (kinds p2p, rdma and other), and the scenarios that forecast them.
// validate/transfers.yaml maps the statements of a file to scenarios, as derive.hpp does for collectives. What no row
// of that table matches is reported by name and not forecast.

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_transfers {

// One number of a table.
struct TransferPoint {
    std::string label;  // "gpu0 -> gpu3", "64 KiB", a test's name
    Bytes size;
    bool latency = false;  // true: values are seconds; false: bytes per second
    double measured = 0;
    double forecast = 0;
    double low80 = 0, high80 = 0;  // 80 % interval of the forecast
    std::string transport;
    std::string left_out;  // why there is no forecast or it does not count; empty: it does

    double error() const { return latency ? forecast / measured - 1 : measured / forecast - 1; }  // error of the time
};

struct TransferComparison {
    std::string id, kind, source, system;  // "p2p", "rdma", "other"
    std::vector<std::string> assumptions;
    double spread = 1;      // what was assumed of the machine widens the intervals by this factor
    std::string uncounted;  // why the whole file does not count; empty: it does
    bool latency_matrix = false;
    std::vector<TransferPoint> points;

    // Why the point does not count, or "yes".
    std::string used(const TransferPoint& point) const {
        return !point.left_out.empty() ? point.left_out : uncounted.empty() ? "yes" : uncounted;
    }
};

// The scenarios of a file; the forecasts of `comparison` are still zero.
struct TransferCase {
    TransferComparison comparison;
    std::vector<Scenario> scenarios;  // one per point; empty name: none
    std::vector<bool> posted;         // per point: the time ends when the core is done, not when the bytes have arrived
};

bool is_transfer(const Measurement& measurement);

// Throws InputError for a file that no row of the table matches.
TransferCase derive_transfers(const Measurement& measurement);

}  // namespace fabricast::inline validate_transfers
