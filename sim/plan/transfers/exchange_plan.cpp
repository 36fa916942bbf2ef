#include "sim/plan/transfers/exchange_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/transfers/places.hpp"

namespace fabricast {

namespace {

constexpr std::size_t most_transfers = 20'000;  // in one replay; longer windows are shortened

// A kernel's loads return after a round trip over the leg's links, which limits the rate of the bytes in flight.
void limit_reads(const Messaging& m, const Fabric& fabric, DataPath& path) {
    for (Leg& leg : path.legs) {
        if (!leg.reads || m.read_outstanding <= 0) {
            continue;
        }
        const PathQuery& way = leg.paths.front();
        const Duration trip = fabric.path(way).latency + fabric.path(query(way.dst, way.src)).latency;
        const double rate = m.read_outstanding / to_seconds(trip);
        if (rate < leg.rate_cap) {
            leg.rate_cap = rate;
            leg.cap = "loads under way";
        }
    }
}

Duration links_of(const DataPath& path, const Fabric& fabric) {
    Duration sum;
    for (const Leg& leg : path.legs) {
        sum += leg.paths.empty() ? Duration{} : fabric.path(leg.paths.front()).latency;
    }
    return sum;
}

std::uint32_t fitting_window(std::uint32_t window, const DataPath& path, Bytes size) {
    const std::int64_t piece = path.piece.count > 0 ? path.piece.count : std::max<std::int64_t>(size.count, 1);
    const auto pieces = static_cast<std::size_t>(std::min<std::int64_t>(size.count / piece + 1, 256));
    const std::size_t each = std::max<std::size_t>(1, pieces * path.legs.size());
    const std::size_t fit = std::max<std::size_t>(2, most_transfers / each);
    return static_cast<std::uint32_t>(std::min<std::size_t>(fit, window));
}

DeviceId device_at(const Fabric& fabric, const std::string& name, const char* key) {
    try {
        return fabric.device(name);
    } catch (const ClusterError& error) {
        throw PlanError(error.what(), key);
    }
}

}  // namespace

bool over_network(const DataPath& path) {
    return std::any_of(path.legs.begin(), path.legs.end(), [](const Leg& leg) {
        return !leg.paths.empty() && leg.paths.front().kind == PathKind::network;
    });
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
}

// The paths and messaging of one pair. The result of conversation() points into it.
struct Exchanger::Talk {
    ChosenPath choice;
    DataPath back, control, answer;
    Messaging messaging;
    bool gpu = false;
    DeviceId from{};

    Endpoints conversation() const { return {&choice.path, &back, &control, &answer, messaging, from, gpu}; }
};

PathRequest Exchanger::request(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const {
    return {fabric_, from, to, size, workload_.operation, workload_.host, figures};
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
    return messaging_of(
        workload_.messaging.empty() ? catalog_.at("data-path", path.transport).word("messaging") : workload_.messaging,
        figures);
}

std::vector<FigureUsed> Exchanger::figures() const {
    DataPathFigures figures(catalog_);
    messaging(choose_path(transport(), request(from_, to_, workload_.sizes.front(), figures)).path, figures);
    return figures.used();
}

Exchanger::Talk Exchanger::talk(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const {
    Talk t;
    t.choice = choose_path(transport(), request(from, to, size, figures));
    t.messaging = messaging(t.choice.path, figures);
    limit_reads(t.messaging, fabric_, t.choice.path);
    const DataPath& forward_path = t.choice.path;
    const bool both = workload_.direction == Direction::both_ways;
    t.back = both ? choose_path(forward_path.transport, request(to, from, size, figures)).path : forward_path;
    // The library's own small messages travel between host memories.
    const auto ends =
        std::pair(memory_beside(fabric_, from, NumaPlace::near), memory_beside(fabric_, to, NumaPlace::near));
    t.control = forward_path;
    t.answer = t.back;
    if (over_network(forward_path) && ends.first && ends.second) {
        constexpr Bytes small{64};
        const bool loop = *ends.first == *ends.second;
        const std::string way = loop || fabric_.node_of(from) == fabric_.node_of(to) ? "host-rdma" : "auto";
        HostConditions host = workload_.host;
        host.registration_cache = true;
        const auto between = [&](DeviceId a, DeviceId b) {
            return choose_path(way, {fabric_, a, b, small, TransferOperation::write, host, figures}).path;
        };
        t.control = between(*ends.first, *ends.second);
        t.answer = between(*ends.second, *ends.first);
    }
    t.gpu = is_gpu(fabric_, from) || is_gpu(fabric_, to);
    t.from = from;
    return t;
}

ExchangePlan Exchanger::plan(Bytes size) const {
    DataPathFigures figures(catalog_);
    const Talk own = talk(from_, to_, size, figures);
    const Endpoints conversation = own.conversation();
    const DataPath& path = own.choice.path;
    const bool both = workload_.direction == Direction::both_ways;
    const Figure& measured = catalog_.at("interval", "transfer-intervals")
                                 .figure(fmt::format("{}.{}", over_network(path) ? "between" : "inside",
                                                     size.count < (1 << 20) ? "small" : "large"));
    ExchangePlan plan;
    plan.size = size;
    plan.choice = own.choice;
    plan.messaging = own.messaging;
    plan.mode = mode_of(conversation, size);
    plan.links_s = to_seconds(links_of(path, fabric_));
    plan.measured_low80 = measured.low80;
    plan.measured_high80 = measured.high80;
    plan.directions = both ? 2 : 1;
    plan.pairs = 1 + static_cast<std::uint32_t>(concurrent_.size());

    Endpoints alone = conversation;
    alone.messaging.acknowledged = false;
    plan.one = schedule_messages(alone, size, 1, false).schedule;

    plan.window = fitting_window(workload_.window > 0 ? workload_.window : own.messaging.window, path, size);
    plan.sent = own.messaging.acknowledged || plan.window == 1 ? plan.window : 2 * plan.window;
    plan.many = schedule_messages(conversation, size, plan.sent, both).schedule;
    plan.kept_per_pair = plan.many.kept.size();
    for (const auto& [from, to] : concurrent_) {
        const Talk other = talk(from, to, size, figures);
        append(plan.many, schedule_messages(other.conversation(), size, plan.sent, both).schedule);
    }
    return plan;
}

}  // namespace fabricast
