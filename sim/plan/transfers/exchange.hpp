#pragma once
// Messages between the two devices of a transfer, forecast size by size: how long one message takes, and the bandwidth
// of a window of messages.

#include <string>
#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/plan/transfers/host_fabric.hpp"
#include "sim/plan/transfers/message_schedule.hpp"
#include "sim/plan/transfers/transports.hpp"

namespace fabricast {

struct Exchange {
    ChosenPath choice;
    Messaging messaging;
    MessageMode mode = MessageMode::eager;
    double one_s = 0;  // one message, from the call to the receiver's last instruction
    double one_low80 = 0, one_high80 = 0;
    double links_s = 0;                           // latency of the links, a part of one_s
    double each_s = 0;                            // seconds per message of the window, in the steady state
    double bandwidth = 0;                         // payload bytes per second; the sum of both directions for both_ways
    double aggregate_bandwidth = 0;               // of this pair and all pairs in `beside`
    double sender_cores = 0, receiver_cores = 0;  // cores that are busy during the window
    std::string bottleneck;
    Schedule one;       // one message alone; kept: its end
    Schedule schedule;  // the window of messages
    Timeline timeline;
};

// Forecasts one transfer workload. Workload, fabric and catalogue must outlive it.
class Exchanger {
public:
    // `fabric` is the result of transfer_fabric. Throws ClusterError for unknown devices, CatalogError, NoDataPath.
    Exchanger(const TransferWorkload& workload, const Fabric& fabric, const Catalog& catalog, Engine engine);

    // Throws NoDataPath if this size is refused, and what replay throws.
    Exchange at(Bytes size, const std::vector<LinkEvent>& events = {}, const Watch& watch = {}) const;
    // The path that is chosen for this size, without a replay; `figures` records the figures read.
    ChosenPath choice(Bytes size, DataPathFigures& figures) const;
    std::vector<FigureUsed> figures() const;  // figures that a message of the first size reads

private:
    struct Talk;  // one pair's paths and messaging

    PathRequest request(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const;
    std::string transport() const;
    Talk talk(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const;

    const TransferWorkload& workload_;
    const Fabric& fabric_;
    const Catalog& catalog_;
    Engine engine_;
    DeviceId from_{}, to_{};
    std::vector<std::pair<DeviceId, DeviceId>> beside_;
};

}  // namespace fabricast
