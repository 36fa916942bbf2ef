#pragma once
// Messages between the two devices of a transfer, planned size by size: one message alone, and a window of messages.

#include <string>
#include <utility>
#include <vector>

#include "sim/plan/transfers/message_schedule.hpp"

namespace fabricast::inline transfers {

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

// The fabric as transports see it. Collectives count an adapter's whole latency, with GPU memory, in addition to the
// PCIe path to it, and their fitted constants rely on that. Here an adapter's figures are those of a plain server
// (adapter on a root port, host memory); the part of them that is this server's PCIe path is subtracted, so that it is
// not counted twice. Conditions that change links (MTU) are applied. Throws ClusterError.
Fabric transfer_fabric(const Fabric& built, const TransferWorkload& workload, const Catalog& catalog);

// Plans the sizes of one transfer workload. Workload, fabric and catalogue must outlive it.
class Exchanger {
public:
    // `fabric` is the result of transfer_fabric. Throws PlanError for unknown devices, NoDataPath, CatalogError.
    Exchanger(const TransferWorkload& workload, const Fabric& fabric, const Catalog& catalog);

    // Throws NoDataPath if this size is refused, CatalogError.
    ExchangePlan plan(Bytes size) const;
    // Adds one message to a schedule, beside what it has already; its end is the next one kept.
    void add_message(Bytes size, Schedule& schedule) const;
    const std::vector<FigureUsed>& figures() const { return figures_; }  // that a message of the first size reads

private:
    PathRequest request(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const;
    std::string transport() const;
    Messaging messaging(const DataPath& path, DataPathFigures& figures) const;
    Endpoints conversation(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const;

    const TransferWorkload& workload_;
    const Fabric& fabric_;
    const Catalog& catalog_;
    DeviceId from_{}, to_{};
    std::vector<std::pair<DeviceId, DeviceId>> concurrent_;
    std::vector<FigureUsed> figures_;
};

}  // namespace fabricast::inline transfers
