#include "sim/engines/packet/rank_counts.hpp"

#include <utility>

namespace fabricast::inline packet {

namespace {

struct QueueImage {
    std::uint32_t port = none, length = 0;
    std::int64_t bytes = 0, credits = 0;
    std::int32_t headers = 0;
    bool paused = false;
};

// Of a port, by the rank that sends; of its receive buffer, by the one that receives.
struct SentImage {
    std::uint32_t port = none;
    bool paused = false;
    std::int64_t sent_bytes = 0;
    Ps free = 0;
    PortCounts counts;
};
struct ReceivedImage {
    std::uint32_t port = none;
    Ingress ingress;
};
struct NodeImage {
    std::uint32_t node = none;
    std::int64_t used_most = 0;
};

template <class T> struct Numbered {
    std::uint32_t number = none;
    T value;
};

void clear(Fifo<Waiting>& queue) {
    while (!queue.empty()) { queue.pop(); }
}

}  // namespace

void RankCounts::copy_queues() {
    std::vector<QueueImage> images;
    std::vector<Waiting> packets;
    std::vector<Numbered<std::int64_t>> drops;
    for (std::uint32_t p = 0; p < shared_.net.port_count; ++p) {
        Port& port = shared_.net.ports[p];
        if (owns(port.to_node) && shared_.net.ingress[p].drops > 0) {
            drops.push_back({p, shared_.net.ingress[p].drops});
        }
        if (!owns(port.from_node)) {
            clear(port.queue);  // of an earlier copy
            port.queued_bytes = 0;
            continue;
        }
        if (port.queue.empty()) { continue; }
        images.push_back({p, port.queue.size(), port.queued_bytes, port.credits, shared_.net.counts[p].headers,
                          static_cast<bool>(port.paused)});
        for (std::uint32_t i = 0; i < port.queue.size(); ++i) { packets.push_back(port.queue.at(i)); }
    }
    Peers::Message message;
    put(message, images);
    put(message, packets);
    put(message, drops);
    const std::vector<Peers::Message> from_each = peers_.tell_all(message);
    for (std::uint32_t r = 0; r < from_each.size(); ++r) {
        if (r == rank_) { continue; }
        Unpacking from(from_each[r]);
        const std::vector<QueueImage> theirs = from.take<QueueImage>();
        const std::vector<Waiting> waiting = from.take<Waiting>();
        for (const auto& lost : from.take<Numbered<std::int64_t>>()) {
            shared_.net.ingress[lost.number].drops = lost.value;
        }
        std::size_t next = 0;
        for (const QueueImage& image : theirs) {
            Port& port = shared_.net.ports[image.port];
            for (std::uint32_t i = 0; i < image.length; ++i) { port.queue.push(waiting.at(next++)); }
            port.queued_bytes = image.bytes;
            port.credits = image.credits;
            port.paused = image.paused;
            shared_.net.counts[image.port].headers = image.headers;
        }
    }
}

void RankCounts::copy_counts() {
    Peers::Message message;
    put_one(message, own_.counts());
    pack_ports(message);
    pack_flows(message);
    const std::vector<Peers::Message> from_each = peers_.tell_all(message);
    for (std::uint32_t r = 0; r < from_each.size(); ++r) {
        if (r == rank_) { continue; }
        Unpacking from(from_each[r]);
        own_.add_counts(from.take_one<DomainCounts>());
        take_ports(from);
        take_flows(from);
    }
    for (const Throttle& ended : shared_.ended) {
        shared_.held += ended.held;
        shared_.sending += ended.sending();
    }
}

void RankCounts::pack_ports(Peers::Message& message) const {
    const Network& net = shared_.net;
    std::vector<SentImage> sent;
    std::vector<ReceivedImage> received;
    std::vector<NodeImage> nodes;
    std::vector<Numbered<Series>> series;
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        if (owns(port.from_node)) {
            sent.push_back({p, static_cast<bool>(port.paused), port.sent_bytes, port.free, net.counts[p]});
            if (!shared_.series.empty()) { series.push_back({p, shared_.series[p]}); }
        }
        if (owns(port.to_node)) { received.push_back({p, net.ingress[p]}); }
    }
    for (std::uint32_t n = 0; n < net.nodes.size(); ++n) {
        if (owns(n)) { nodes.push_back({n, net.nodes[n].used_most}); }
    }
    put(message, sent);
    put(message, received);
    put(message, nodes);
    put(message, series);
}

void RankCounts::take_ports(Unpacking& from) {
    Network& net = shared_.net;
    for (const SentImage& image : from.take<SentImage>()) {
        Port& port = net.ports[image.port];
        port.paused = image.paused;
        port.sent_bytes = image.sent_bytes;
        port.free = image.free;
        net.counts[image.port] = image.counts;
    }
    for (const ReceivedImage& image : from.take<ReceivedImage>()) { net.ingress[image.port] = image.ingress; }
    for (const NodeImage& image : from.take<NodeImage>()) { net.nodes[image.node].used_most = image.used_most; }
    for (const auto& one : from.take<Numbered<Series>>()) { shared_.series[one.number] = one.value; }
}

// A flow's sender keeps its controller and what was sent again; the node before its last link, when pieces came.
void RankCounts::pack_flows(Peers::Message& message) const {
    const Traffic& traffic = shared_.traffic;
    std::vector<Numbered<Throttle>> throttles;
    std::vector<Numbered<Rates>> rates;
    for (std::uint32_t c = 0; c < shared_.throttles.size(); ++c) {
        if (shared_.throttles[c].first != never && shared_.throttles[c].least_pace > 0) {
            throttles.push_back({c, shared_.throttles[c]});
        }
        if (c < shared_.rates.size() && owns(traffic.flows[traffic.controlled[c]].node)) {
            rates.push_back({c, shared_.rates[c]});
        }
    }
    std::vector<Numbered<Throttle>> ended;
    for (std::uint32_t i = 0; i < shared_.ended.size(); ++i) {
        if (shared_.ended[i].first != never) { ended.push_back({i, shared_.ended[i]}); }
    }
    std::int64_t resent = 0, timeouts = 0;
    for (const Recovery& recovery : shared_.recoveries) {
        resent += recovery.resent;
        timeouts += recovery.timeouts;
    }
    put(message, throttles);
    put(message, rates);
    put(message, ended);
    put_one(message, resent);
    put_one(message, timeouts);
    for (const std::vector<Time>& arrived : shared_.arrivals) { put(message, arrived); }
}

void RankCounts::take_flows(Unpacking& from) {
    for (const auto& one : from.take<Numbered<Throttle>>()) { shared_.throttles[one.number] = one.value; }
    for (const auto& one : from.take<Numbered<Rates>>()) { shared_.rates[one.number] = one.value; }
    for (const auto& one : from.take<Numbered<Throttle>>()) { shared_.ended.at(one.number) = one.value; }
    const auto resent = from.take_one<std::int64_t>();
    const auto timeouts = from.take_one<std::int64_t>();
    if (!shared_.recoveries.empty()) {  // only their sums are read
        shared_.recoveries.front().resent += resent;
        shared_.recoveries.front().timeouts += timeouts;
    }
    for (std::vector<Time>& arrived : shared_.arrivals) {
        std::vector<Time> theirs = from.take<Time>();
        if (!theirs.empty()) { arrived = std::move(theirs); }
    }
}

}  // namespace fabricast::inline packet
