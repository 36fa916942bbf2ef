#pragma once
// Messages between the two devices of a transfer, planned size by size: one message alone, and a window of messages.

#include <string>
#include <utility>
#include <vector>

#include "sim/plan/transfers/message_schedule.hpp"
#include "sim/plan/transfers/transports.hpp"

namespace fabricast {

// How the messages of one size go, and what is needed to tell their times from the two timelines.
struct ExchangeFacts {
    Bytes size;
    ChosenPath choice;
    Messaging messaging;
    MessageMode mode = MessageMode::eager;
    double links_s = 0;                              // latency of the links, a part of one message's time
    double measured_low80 = 1, measured_high80 = 1;  // 80 % interval of measured / forecast
    double directions = 1;                           // 2: both ways at once
    std::uint32_t pairs = 1;                         // this pair and those in `concurrent`
    std::uint32_t window = 1, sent = 1;              // messages in flight; messages in `many`: one window or two
    std::size_t kept_per_pair = 0;                   // operations that `many` keeps for each pair
};

struct ExchangePlan : ExchangeFacts {
    Schedule one;   // one message alone; kept: its end
    Schedule many;  // the window of messages; kept: the end of each message
};

// Plans the sizes of one transfer workload. Workload, fabric and catalogue must outlive it.
class Exchanger {
public:
    // `fabric` is the result of transfer_fabric. Throws PlanError for unknown devices, NoDataPath.
    Exchanger(const TransferWorkload& workload, const Fabric& fabric, const Catalog& catalog);

    // Throws NoDataPath if this size is refused, CatalogError.
    ExchangePlan plan(Bytes size) const;
    std::vector<FigureUsed> figures() const;  // figures that a message of the first size reads

private:
    struct Talk;  // one pair's paths and messaging

    PathRequest request(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const;
    std::string transport() const;
    Messaging messaging(const DataPath& path, DataPathFigures& figures) const;
    Talk talk(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const;

    const TransferWorkload& workload_;
    const Fabric& fabric_;
    const Catalog& catalog_;
    DeviceId from_{}, to_{};
    std::vector<std::pair<DeviceId, DeviceId>> concurrent_;
};

// Whether a leg of the path crosses the network between nodes.
bool over_network(const DataPath& path);

}  // namespace fabricast
