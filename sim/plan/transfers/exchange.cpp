#include "sim/plan/transfers/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "sim/engines/common/accounting.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast {

namespace {

constexpr double busy_share = 0.8;  // share of the time from which a link or a core counts as the bottleneck
constexpr std::size_t most_transfers = 20'000;  // in one replay; longer windows are shortened

bool over_network(const DataPath& path) {
    return std::any_of(path.legs.begin(), path.legs.end(), [](const Leg& leg) {
        return !leg.paths.empty() && leg.paths.front().kind == PathKind::network;
    });
}

// Half widths of the 80 % interval of a message's time, from its fixed terms and from how far forecasts were from
// measurements; all errors count as independent.
std::pair<double, double> spread(const DataPath& path, const Catalog& catalog, Bytes size, double seconds) {
    const Figure& met = catalog.at("interval", "transfer-intervals")
                            .figure(std::string(over_network(path) ? "between" : "inside") +
                                    (size.count < (1 << 20) ? ".small" : ".large"));
    double low = std::pow(seconds * (1 - met.low80), 2);
    double high = std::pow(seconds * (met.high80 - 1), 2);
    for (const LatencyTerm& term : path.latency) {
        low += std::pow(to_seconds(term.time - term.low80), 2);
        high += std::pow(to_seconds(term.high80 - term.time), 2);
    }
    return {std::sqrt(low), std::sqrt(high)};
}

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

double cores(const DataPath& path, bool receiver, const Messaging& m, double bytes, double each_s) {
    double busy = m.by_core ? to_seconds(receiver ? m.receive_gap : m.send_gap) : 0;
    for (const CoreWork& work : path.work) {
        busy += work.receiver == receiver ? to_seconds(work.per_message) + work.seconds_per_byte * bytes : 0;
    }
    return each_s > 0 ? busy / each_s : 0;
}

std::string bottleneck(const Exchange& e, const Fabric& fabric, double bytes) {
    if (!e.timeline.busiest.empty() && e.timeline.busiest.front().utilisation >= busy_share) {
        const LinkUse& use = e.timeline.busiest.front();
        return fabric.link_name(use.link) + " " + std::to_string(std::lround(std::min(use.utilisation, 1.0) * 100)) +
               " %";
    }
    for (const Leg& leg : e.choice.path.legs) {
        if (bytes / e.each_s >= busy_share * leg.rate_cap && !leg.cap.empty()) {
            return leg.cap;
        }
    }
    return to_seconds(std::max(e.messaging.send_gap, e.messaging.receive_gap)) >= busy_share * e.each_s
               ? "messages of " + e.messaging.name
               : "latency";
}

}  // namespace

Exchanger::Exchanger(const TransferWorkload& workload, const Fabric& fabric, const Catalog& catalog, Engine engine)
    : workload_(workload),
      fabric_(fabric),
      catalog_(catalog),
      engine_(std::move(engine)),
      from_(fabric.device(workload.from)),
      to_(fabric.device(workload.to)) {
    for (const std::string& pair : workload.beside) {
        const std::size_t arrow = pair.find(" -> ");
        if (arrow == std::string::npos) {
            throw ClusterError("workload.beside: a pair is written `node0.gpu1 -> node0.memory0` (found '" + pair +
                               "')");
        }
        beside_.emplace_back(fabric.device(pair.substr(0, arrow)), fabric.device(pair.substr(arrow + 4)));
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

ChosenPath Exchanger::choice(Bytes size, DataPathFigures& figures) const {
    return choose_path(transport(), request(from_, to_, size, figures));
}

std::vector<FigureUsed> Exchanger::figures() const {
    DataPathFigures figures(catalog_);
    const ChosenPath chosen = choice(workload_.sizes.front(), figures);
    messaging_of(workload_.messaging.empty() ? catalog_.at("data-path", chosen.path.transport).word("messaging")
                                             : workload_.messaging,
                 figures);
    return figures.used();
}

Exchanger::Talk Exchanger::talk(DeviceId from, DeviceId to, Bytes size, DataPathFigures& figures) const {
    Talk t;
    t.choice = choose_path(transport(), request(from, to, size, figures));
    t.messaging =
        messaging_of(workload_.messaging.empty() ? catalog_.at("data-path", t.choice.path.transport).word("messaging")
                                                 : workload_.messaging,
                     figures);
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

Exchange Exchanger::at(Bytes size, const std::vector<LinkEvent>& events, const Watch& watch) const {
    DataPathFigures figures(catalog_);
    Exchange e;
    const Talk own = talk(from_, to_, size, figures);
    const Endpoints conversation = own.conversation();
    const DataPath& forward_path = own.choice.path;
    const bool both = workload_.direction == Direction::both_ways;
    e.choice = own.choice;
    e.messaging = own.messaging;
    e.mode = mode_of(conversation, size);

    Endpoints alone = conversation;
    alone.messaging.acknowledged = false;
    e.one = schedule_messages(alone, size, 1, false).schedule;
    const Timeline single = replay(engine_, fabric_, e.one, events, watch);
    e.one_s = to_seconds(single.kept.front().finish - Time{});
    e.links_s = to_seconds(links_of(forward_path, fabric_));

    const std::uint32_t asked = workload_.window > 0 ? workload_.window : e.messaging.window;
    const std::uint32_t window = fitting_window(asked, forward_path, size);
    const std::uint32_t sent = e.messaging.acknowledged || window == 1 ? window : 2 * window;
    MessageSchedule many = schedule_messages(conversation, size, sent, both);
    const std::size_t each = many.schedule.kept.size();
    for (const auto& [from, to] : beside_) {
        const Talk other = talk(from, to, size, figures);
        append(many.schedule, schedule_messages(other.conversation(), size, sent, both).schedule);
    }
    e.timeline = replay(engine_, fabric_, many.schedule, events, watch);
    // Seconds per message of one pair, in the second window or in the only one.
    const auto seconds_each = [&](std::size_t pair) {
        const std::size_t first = pair * each;
        const Time last = e.timeline.kept[first + each - 1].finish;
        const Time begin = sent > window ? e.timeline.kept[first + window - 1].finish : Time{};
        return to_seconds(last - begin) / window;
    };
    const auto bytes = static_cast<double>(size.count);
    const double directions = both ? 2 : 1;
    e.each_s = seconds_each(0);
    e.bandwidth = directions * bytes / e.each_s;
    for (std::size_t pair = 0; pair <= beside_.size(); ++pair) {
        e.aggregate_bandwidth += directions * bytes / seconds_each(pair);
    }
    // Neither one message nor a window of messages can be faster than the links, whatever the intervals of the fixed
    // terms.
    const double least = least_seconds(e.one, single, fabric_);
    const auto [low, high] = spread(forward_path, catalog_, size, e.one_s);
    e.one_low80 = std::min(e.one_s, std::max({e.one_s - low, least, e.one_s * least / e.each_s}));
    e.one_high80 = e.one_s + high;
    e.sender_cores = cores(forward_path, false, e.messaging, bytes, e.each_s);
    e.receiver_cores = cores(forward_path, true, e.messaging, bytes, e.each_s);
    e.bottleneck = bottleneck(e, fabric_, bytes);
    e.schedule = std::move(many.schedule);
    return e;
}

}  // namespace fabricast
