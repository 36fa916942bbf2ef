#pragma once
// Messages between the two devices of a transfer, forecast size by size: how long one takes, and how many pass in a
// window.

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
    double links_s = 0;              // of it, latency of the links
    double each_s = 0;               // of a message of the window, in its steady state
    double bandwidth = 0;            // payload bytes per second; of both directions together where both are busy
    double aggregate_bandwidth = 0;  // of this pair and all beside it
    double sender_cores = 0, receiver_cores = 0;  // busy while the window passes
    std::string bottleneck;
    Schedule one;       // of one message alone; kept: its end
    Schedule schedule;  // of the window
    Timeline timeline;
};

// One transfer workload made ready. Scenario, fabric and catalogue must outlive it.
class Exchanger {
public:
    // `fabric` as transfer_fabric gives it. Throws ClusterError for unknown devices, CatalogError, NoDataPath.
    Exchanger(const TransferWorkload& workload, const Fabric& fabric, const Catalog& catalog, Engine engine);

    // Throws NoDataPath where this size is refused; else as replay does.
    Exchange at(Bytes size, const std::vector<LinkEvent>& events = {}, const Watch& watch = {}) const;
    // What is chosen for this size, without a replay; figures that it read are noted in `figures`.
    ChosenPath choice(Bytes size, DataPathFigures& figures) const;
    std::vector<FigureUsed> figures() const;  // that a message of the first size reads

private:
    struct Talk;  // of one pair

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
