#include "sim/plan/transfers/exchange_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hostlist.hpp"
#include "models/device_part.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers {

namespace {

constexpr std::size_t most_transfers = 20'000;  // in one replay; longer windows are shortened

// A kernel's loads return after a round trip over the leg's links, which limits the rate of the bytes in flight.
void limit_reads(const Messaging& m, const Fabric& fabric, DataPath& path) {
    for (Leg& leg : path.legs) {
        if (!leg.reads || m.read_outstanding <= 0) { continue; }
        const PathQuery& way = leg.paths.front();
        const Duration trip = fabric.path(way).latency + fabric.path(query(way.dst, way.src)).latency;
        leg.limit(m.read_outstanding / to_seconds(trip), "loads under way");
    }
}

bool over_network(const DataPath& path) { return std::ranges::any_of(path.legs, &Leg::on_network); }

Duration links_of(const DataPath& path, const Fabric& fabric) {
    Duration sum;
    for (const Leg& leg : path.legs) { sum += leg.paths.empty() ? Duration{} : fabric.path(leg.paths.front()).latency; }
    return sum;
}

std::uint32_t fitting_window(std::uint32_t window, const DataPath& path, Bytes size) {
    const std::int64_t piece = path.piece.count > 0 ? path.piece.count : std::max<std::int64_t>(size.count, 1);
    const auto pieces = static_cast<std::size_t>(std::min<std::int64_t>(size.count / piece + 1, 256));
    const std::size_t each = std::max<std::size_t>(1, pieces * path.legs.size());
    const std::size_t fit = std::max<std::size_t>(2, most_transfers / each);
    return static_cast<std::uint32_t>(std::min<std::size_t>(fit, window));
}

// An end of a transfer. It stands in a node with ranks: what chooses its path counts those nodes only.
DeviceId device_at(const Fabric& fabric, const std::string& name, const char* key) {
    DeviceId device{};
    try {
        device = fabric.device(name);
    } catch (const ClusterError& error) { throw PlanError(error.what(), key); }
    if (fabric.kind(device) == DeviceKind::fabric_switch) { return device; }
    const std::uint32_t own = fabric.wired_node_of(device);
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) {
        if (fabric.wired_node(node) == own) { return device; }
    }
    std::vector<std::string> placed;
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) {
        placed.push_back(fmt::format("node{}", fabric.wired_node(node)));
    }
    throw PlanError(error_message(fmt::format("{}: the device is on a node without ranks (`cluster.place`)", key), name,
                                  "a device of " + hostlist_text(placed)),
                    key);
}

// Latency of the path to a plain server's adapter: a host bridge and one PCIe link.
Duration plain_path(const NodeTemplate& node) {
    Duration bridge;
    Duration cable;
    for (const NodeDevice& device : node.devices) { bridge = device.name.starts_with("cpu") ? device.latency : bridge; }
    for (const NodeCable& c : node.cables) {
        const bool of_nic = c.a.starts_with("nic") || c.b.starts_with("nic");
        cable = of_nic ? c.link.latency : cable;
    }
    return bridge + cable;
}

}  // namespace

Fabric transfer_fabric(const Fabric& built, const TransferWorkload& workload, const Catalog& catalog) {
    Cluster cluster = built.cluster();
    if (!cluster.node.nic_part.empty()) {
        const NicSpec nic = nic_spec(catalog.at("nic", cluster.node.nic_part));
        const Duration both = nic.transmit_latency + nic.receive_latency;
        const Duration own{std::max<std::int64_t>(0, both.ps / 2 - plain_path(cluster.node).ps)};
        for (NodeDevice& device : cluster.node.devices) {
            device.latency = device.name.starts_with("nic") ? own : device.latency;
        }
    }
    const Bytes mtu = workload.host.mtu;
    constexpr Bytes largest_rdma_mtu{4096};
    if (mtu.count > 0 && mtu <= largest_rdma_mtu && cluster.fabric.link.framing.payload.count > 0) {
        cluster.fabric.link.framing.payload = mtu;
        cluster.fabric.trunk.framing.payload = mtu;
    }
    return Fabric(std::move(cluster));
}

Exchanger::Exchanger(const TransferWorkload& workload, const Fabric& fabric, const Catalog& catalog)
    : workload_(workload),
      fabric_(fabric),
      catalog_(catalog),
      from_(device_at(fabric, workload.from, "workload.from")),
      to_(device_at(fabric, workload.to, "workload.to")) {
    constexpr const char* key = "workload.concurrent";
    for (const std::string& pair : workload.concurrent) {
        const std::size_t arrow = pair.find(" -> ");
        if (arrow == std::string::npos) {
            throw PlanError(fmt::format("{}: a pair is written `node0.gpu1 -> node0.memory0` (found '{}')", key, pair),
                            key);
        }
        concurrent_.emplace_back(device_at(fabric, pair.substr(0, arrow), key),
                                 device_at(fabric, pair.substr(arrow + 4), key));
    }
    DataPathFigures figures(catalog);
    messaging(choose_path(transport(), request(from_, to_, workload.sizes.front(), figures)).path, figures);
    figures_ = figures.used();
}

PathRequest Exchanger::request(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const {
    PathRequest r{fabric_, from, to, size, workload_.operation, workload_.host, figures};
    r.direction = workload_.direction;
    return r;
}

// An MPI may have its own transport inside a node.
std::string Exchanger::transport() const {
    const bool inside = fabric_.node_of(from_) == fabric_.node_of(to_);
    if (workload_.transport == "auto" && inside && !workload_.messaging.empty()) {
        std::string own = catalog_.at("messaging", workload_.messaging).word_or("inside_node", "auto");
        if (own == "network") {
            return is_gpu(fabric_, from_) || is_gpu(fabric_, to_) ? "gpudirect-rdma" : "host-rdma";
        }
        return own;
    }
    return workload_.transport;
}

Messaging Exchanger::messaging(const DataPath& path, DataPathFigures& figures) const {
    Messaging m = messaging_of(
        workload_.messaging.empty() ? catalog_.at("data-path", path.transport).word("messaging") : workload_.messaging,
        figures);
    const std::string& gpu = fabric_.node().gpu.name;
    const Part* part = catalog_.find(gpu);
    if (!m.issued_by_gpu || part == nullptr) { return m; }
    // Writes to a peer are posted: its engine begins the next copy before the last has arrived.
    const bool to_peer = path.transport == "pcie-p2p" && part->has("peer.issue");
    if (to_peer || part->has("copy.issue")) {
        m.send = m.send_gap = from_seconds(figures.number(gpu, to_peer ? "peer.issue" : "copy.issue"));
    }
    m.in_order = m.in_order && !to_peer;
    return m;
}

Endpoints Exchanger::conversation(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const {
    Endpoints c;
    c.choice = choose_path(transport(), request(from, to, size, figures));
    DataPath& forward_path = c.choice.path;
    c.messaging = messaging(forward_path, figures);
    limit_reads(c.messaging, fabric_, forward_path);
    const bool both = workload_.direction == Direction::both_ways;
    c.back = both ? choose_path(forward_path.transport, request(to, from, size, figures)).path : forward_path;
    // The library's own small messages travel between host memories.
    const auto here = memory_beside(fabric_, from, NumaPlace::near);
    const auto there = memory_beside(fabric_, to, NumaPlace::near);
    c.control = forward_path;
    c.answer = c.back;
    if (over_network(forward_path) && here && there) {
        constexpr Bytes small{64};
        const bool loop = *here == *there;
        const std::string way = loop || fabric_.node_of(from) == fabric_.node_of(to) ? "host-rdma" : "auto";
        HostConditions host = workload_.host;
        host.registration_cache = true;
        const auto between = [&](DeviceId a, DeviceId b) {
            return choose_path(way, {fabric_, a, b, small, TransferOperation::write, host, figures}).path;
        };
        c.control = between(*here, *there);
        c.answer = between(*there, *here);
    }
    c.gpu = is_gpu(fabric_, from) || is_gpu(fabric_, to);
    c.device = from;
    return c;
}

ExchangePlan Exchanger::plan(Bytes size) const {
    DataPathFigures figures(catalog_);
    Endpoints own = conversation(from_, to_, size, figures);
    const DataPath& path = own.choice.path;
    const bool both = workload_.direction == Direction::both_ways;
    const Figure& measured = catalog_.at("interval", "transfer-intervals")
                                 .figure(fmt::format("{}.{}", over_network(path) ? "between" : "inside",
                                                     size.count < (1 << 20) ? "small" : "large"));
    ExchangePlan plan;
    plan.size = size;
    plan.messaging = own.messaging;
    plan.mode = mode_of(own, size);
    plan.links_s = to_seconds(links_of(path, fabric_));
    plan.measured_low80 = measured.low80;
    plan.measured_high80 = measured.high80;
    plan.directions = both ? 2 : 1;
    plan.pairs = 1 + static_cast<std::uint32_t>(concurrent_.size());
    plan.window = fitting_window(workload_.window > 0 ? workload_.window : own.messaging.window, path, size);
    plan.sent = own.messaging.acknowledged || plan.window == 1 ? plan.window : 2 * plan.window;
    add_messages(own, size, plan.sent, both, plan.many);
    plan.kept_per_pair = plan.many.kept.size();
    for (const auto& [from, to] : concurrent_) {
        add_messages(conversation(from, to, size, figures), size, plan.sent, both, plan.many);
    }
    own.messaging.acknowledged = false;  // the message alone ends with its arrival
    add_messages(own, size, 1, false, plan.one);
    plan.choice = std::move(own.choice);
    return plan;
}

void Exchanger::add_message(Bytes size, Schedule& schedule) const {
    DataPathFigures figures(catalog_);
    Endpoints own = conversation(from_, to_, size, figures);
    own.messaging.acknowledged = false;  // it ends with its arrival
    add_messages(own, size, 1, false, schedule);
}

}  // namespace fabricast::inline transfers
