#include "sim/engines/packet/rank_counts.hpp"

#include <utility>
#include <vector>

namespace fabricast::inline packet {

namespace {

struct QueueImage {
    std::uint32_t port = none, length = 0;
    std::int64_t bytes = 0, credits = 0;
    std::int32_t headers = 0;
    bool paused = false;
};

// Of a port, by the rank that sends.
struct SentImage {
    std::uint32_t port = none;
    bool paused = false;
    std::int64_t sent_bytes = 0;
    Ps free = 0;
    PortCounts counts;
};

// Of a flow that may be sent again, by the rank that sends.
struct Sent {
    std::int64_t resent = 0, timeouts = 0;
    Ps first = never, last = 0;
};

void clear(Fifo<Waiting>& queue) {
    while (!queue.empty()) { queue.pop(); }
}

void pack_ports(const Shared& shared, std::uint32_t rank, Peers::Message& message) {
    const Network& net = shared.net;
    std::vector<SentImage> sent;
    std::vector<Numbered<Ingress>> received;
    std::vector<Numbered<std::int64_t>> used_most;
    std::vector<Numbered<Series>> series;
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        if (shared.domain_of(port.from_node) == rank) {
            sent.push_back({p, static_cast<bool>(port.paused), port.sent_bytes, port.free, net.counts[p]});
            if (!shared.series.empty()) { series.push_back({p, shared.series[p]}); }
        }
        if (shared.domain_of(port.to_node) == rank) { received.push_back({p, net.ingress[p]}); }
    }
    for (std::uint32_t n = 0; n < net.nodes.size(); ++n) {
        if (shared.domain_of(n) == rank) { used_most.push_back({n, net.nodes[n].used_most}); }
    }
    put(message, sent, received, used_most, series);
}

void take_ports(Shared& shared, Unpacking& from) {
    Network& net = shared.net;
    for (const SentImage& image : from.take<SentImage>()) {
        Port& port = net.ports[image.port];
        port.paused = image.paused;
        port.sent_bytes = image.sent_bytes;
        port.free = image.free;
        net.counts[image.port] = image.counts;
    }
    for (const auto& one : from.take<Numbered<Ingress>>()) { net.ingress[one.number] = one.value; }
    for (const auto& one : from.take<Numbered<std::int64_t>>()) { net.nodes[one.number].used_most = one.value; }
    for (const auto& one : from.take<Numbered<Series>>()) { shared.series[one.number] = one.value; }
}

// A flow's sender keeps its controller and what was sent again; the node before its last link, when pieces came.
void pack_flows(const Shared& shared, std::uint32_t rank, Peers::Message& message) {
    const Traffic& traffic = shared.traffic;
    std::vector<Numbered<Throttle>> throttles;
    std::vector<Numbered<Rates>> rates;
    for (std::uint32_t c = 0; c < shared.throttles.size(); ++c) {
        if (shared.throttles[c].first != never && shared.throttles[c].least_pace > 0) {
            throttles.push_back({c, shared.throttles[c]});
        }
        if (c < shared.rates.size() && shared.domain_of(traffic.flows[traffic.controlled[c]].node) == rank) {
            rates.push_back({c, shared.rates[c]});
        }
    }
    std::vector<Numbered<Throttle>> ended;
    for (std::uint32_t i = 0; i < shared.ended.size(); ++i) {
        if (shared.ended[i].first != never) { ended.push_back({i, shared.ended[i]}); }
    }
    std::vector<Numbered<Sent>> sent;
    for (std::uint32_t f = 0; f < shared.recoveries.size(); ++f) {
        const Recovery& own = shared.recoveries[f];
        if (own.first_sent != never) { sent.push_back({f, {own.resent, own.timeouts, own.first_sent, own.last_sent}}); }
    }
    put(message, throttles, rates, ended, sent);
    for (const std::vector<Time>& arrived : shared.arrivals) { put(message, arrived); }
}

void take_flows(Shared& shared, Unpacking& from) {
    for (const auto& one : from.take<Numbered<Throttle>>()) { shared.throttles[one.number] = one.value; }
    for (const auto& one : from.take<Numbered<Rates>>()) { shared.rates[one.number] = one.value; }
    for (const auto& one : from.take<Numbered<Throttle>>()) { shared.ended.at(one.number) = one.value; }
    for (const auto& [f, theirs] : from.take<Numbered<Sent>>()) {
        Recovery& recovery = shared.recoveries[f];
        recovery.resent = theirs.resent;
        recovery.timeouts = theirs.timeouts;
        recovery.first_sent = theirs.first;
        recovery.last_sent = theirs.last;
    }
    for (std::vector<Time>& arrived : shared.arrivals) {
        std::vector<Time> theirs = from.take<Time>();
        if (!theirs.empty()) { arrived = std::move(theirs); }
    }
}

}  // namespace

void copy_queues(Peers& peers, Shared& shared) {
    std::vector<QueueImage> images;
    std::vector<Waiting> packets;
    std::vector<Numbered<std::int64_t>> drops;
    for (std::uint32_t p = 0; p < shared.net.port_count; ++p) {
        Port& port = shared.net.ports[p];
        if (shared.domain_of(port.to_node) == peers.rank() && shared.net.ingress[p].drops > 0) {
            drops.push_back({p, shared.net.ingress[p].drops});
        }
        if (shared.domain_of(port.from_node) != peers.rank()) {
            clear(port.queue);  // of an earlier copy
            port.queued_bytes = 0;
            continue;
        }
        if (port.queue.empty()) { continue; }
        images.push_back({p, port.queue.size(), port.queued_bytes, port.credits, shared.net.counts[p].headers,
                          static_cast<bool>(port.paused)});
        for (std::uint32_t i = 0; i < port.queue.size(); ++i) { packets.push_back(port.queue.at(i)); }
    }
    Peers::Message message;
    put(message, images, packets, drops);
    tell_others(peers, message, [&](Unpacking from) {
        const std::vector<QueueImage> theirs = from.take<QueueImage>();
        const std::vector<Waiting> waiting = from.take<Waiting>();
        for (const auto& lost : from.take<Numbered<std::int64_t>>()) {
            shared.net.ingress[lost.number].drops = lost.value;
        }
        std::size_t next = 0;
        for (const QueueImage& image : theirs) {
            Port& port = shared.net.ports[image.port];
            for (std::uint32_t i = 0; i < image.length; ++i) { port.queue.push(waiting.at(next++)); }
            port.queued_bytes = image.bytes;
            port.credits = image.credits;
            port.paused = image.paused;
            shared.net.counts[image.port].headers = image.headers;
        }
    });
}

void copy_counts(Peers& peers, Shared& shared, Worker& own) {
    Peers::Message message;
    put_one(message, own.counts());
    pack_ports(shared, peers.rank(), message);
    pack_flows(shared, peers.rank(), message);
    tell_others(peers, message, [&](Unpacking from) {
        own.add_counts(from.take_one<DomainCounts>());
        take_ports(shared, from);
        take_flows(shared, from);
    });
    for (const Throttle& ended : shared.ended) {
        shared.held += ended.held;
        shared.sending += ended.sending();
    }
}

}  // namespace fabricast::inline packet
