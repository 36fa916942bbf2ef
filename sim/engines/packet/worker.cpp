#include "sim/engines/packet/worker.hpp"

#include "sim/engines/packet/arriving.hpp"

namespace fabricast::inline packet {

namespace {

// What leaves before a sender hears of something leaves as if it had not.
void send_until(Domain& d, std::uint32_t p, Ps until) {
    const Node& node = d.nodes[d.ports[p].from_node];
    if (in_order(node)) {
        drain_in_order(d, node, until);
    } else {
        drain(d, p, until);
    }
}

// Keeps what the watched flow's sender is told.
[[gnu::cold, gnu::noinline]] void hear(Sequence& sequence, const ControlMessage& mail, bool lossy) {
    if (mail.kind == ControlMessage::ack) {  // where packets may be lost, of all before this one, else of this one
        sequence.heard(PacketSignal::acknowledged, mail.value + (lossy ? 0 : 1), mail.time);
    } else if (mail.kind == ControlMessage::echo) {
        const std::uint32_t psn = sequence.number_of(static_cast<std::uint16_t>(mail.value));
        sequence.heard(PacketSignal::acknowledged, psn + 1, mail.time);
    } else if (mail.kind == ControlMessage::nak) {
        sequence.heard(PacketSignal::asked_for, mail.value, mail.time);
    } else if (mail.kind == ControlMessage::notice) {
        sequence.heard(PacketSignal::notice, 0, mail.time);
    }
}

void take_mail(Domain& d, const ControlMessage& mail) {
    if (d.watched && mail.target == d.shared.sequence.flow) { hear(d.shared.sequence, mail, d.shared.lossy); }
    switch (mail.kind) {
        case ControlMessage::share: {
            drain(d, mail.target, mail.time - 1);
            Port& port = d.ports[mail.target];
            port.down = mail.value == 0;
            port.free = std::max(port.free, mail.time);
            if (!port.down) {
                port.inverse = d.net.inverse_at(mail.target, mail.value);
            } else {
                lose_queue(d, mail.target, mail.time);
            }
            return;
        }
        case ControlMessage::arrival_rate:
            d.ingress[mail.target].inverse = d.net.inverse_at(mail.target, mail.value);
            return;
        case ControlMessage::message:
            d.traffic.message_ready[mail.target] = mail.time;
            wake_flow(d, mail.value, mail.time);
            return;
        case ControlMessage::stream: {
            Stream& stream = d.traffic.streams[mail.target];
            Flow& flow = d.traffic.flows[stream.flow];
            stream.started = true;
            flow.next = std::max(flow.next, mail.time + stream.overhead);
            wake_flow(d, stream.flow, mail.time);
            return;
        }
        case ControlMessage::slot: free_slot(d, mail.target, mail.time); return;
        case ControlMessage::notice:
            send_until(d, d.traffic.flows[mail.target].port, mail.time - 1);
            if (d.shared.control == CongestionControl::infiniband) {
                const std::uint32_t controller = d.traffic.flows[mail.target].controller;
                d.shared.infiniband[controller].on_notice(d.options.infiniband, mail.time);
            } else {
                d.shared.dcqcn[d.traffic.flows[mail.target].controller].on_notice(d.options.dcqcn, mail.time);
            }
            return;
        case ControlMessage::ack:
            if (d.shared.lossy) {
                on_ack(d, mail.target, mail.value, mail.time);
            } else {
                const std::uint32_t controller = d.traffic.flows[mail.target].controller;
                d.shared.timelies[controller].on_ack(d.options.timely, mail.value / d.shared.ack_every[controller],
                                                     mail.time, d.options.dcqcn.least_rate);
            }
            return;
        case ControlMessage::echo:
            send_until(d, d.traffic.flows[mail.target].port, mail.time - 1);
            on_echo(d, mail.target, mail.value, mail.time);
            return;
        case ControlMessage::trimmed:
            send_until(d, d.traffic.flows[mail.target].port, mail.time - 1);
            on_trimmed(d, mail.target, mail.value, mail.time);
            return;
        case ControlMessage::nak: rewind(d, mail.target, mail.value, mail.time); return;
        case ControlMessage::reroute: reroute(d, mail.target, mail.time); return;
        case ControlMessage::timeout:
            if (d.shared.trims()) { send_until(d, d.traffic.flows[mail.target].port, mail.time - 1); }
            on_timeout(d, mail.target, mail.time);
            return;
        case ControlMessage::refresh: refresh(d, mail.target, mail.time); return;
        case ControlMessage::want: {
            Reader& reader = d.traffic.readers[mail.target];
            reader.known = std::max(reader.known, mail.value);  // announcements of one moment come in any order
            wake_flow(d, reader.requests, mail.time);
            return;
        }
        case ControlMessage::grant:
            d.traffic.readers[d.traffic.reader_of[mail.target]].granted += mail.value;
            wake_flow(d, mail.target, mail.time);
            return;
        case ControlMessage::resume: return;
        case ControlMessage::returned: return_tag(d, mail.target, mail.value, mail.time); return;
    }
}

}  // namespace

Worker::Worker(Shared& shared, std::uint32_t id, std::uint32_t domains)
    : domain_(shared, domains),
      id_(id),
      domains_(domains),
      straight_(shared.options.cut_through && shared.options.routing != PacketRouting::adaptive && !shared.corrupts &&
                !shared.restarts && shared.traffic.readers.empty() && !shared.net.rates_change && !shared.trims()) {
    for (std::uint32_t island = 0; island < shared.islands.count(); ++island) {
        if (shared.islands.domain[island] == id_) { islands_.push_back(island); }
    }
}

// Runs an island up to the window's end; returns when there is more to do. Most islands of a large fabric have nothing
// to do in most windows.
[[gnu::always_inline]] inline Ps Worker::run_island(std::uint32_t island) {
    const std::span<const std::uint32_t> nodes = domain_.shared.islands.nodes_of(island);
    domain_.island = island;
    domain_.island_next = never;
    for (const std::uint32_t n : nodes) {
        Ps& mine = domain_.node_next[n];
        for (const Wake* const heard : domain_.heard) {
            if (heard[n].window == domain_.window - 1) { mine = std::min(mine, heard[n].at); }
        }
        domain_.island_next = std::min(domain_.island_next, mine);
    }
    if (domain_.island_next < domain_.window_end) { run_steps(nodes); }
    return domain_.island_next;
}

void Worker::run(Ps start, Ps end, std::int64_t window, const std::vector<std::unique_ptr<Worker>>& all) {
    begin_window(start, end, window);
    domain_.alone = false;
    for (const auto& other : all) {
        domain_.heard.push_back(other->domain_.woken[before()].data());
        take_box(other->domain_.outbox[before()][id_]);
    }
    open_.publish(static_cast<std::uint32_t>(islands_.size()));
    run_open(*this, &StealableRange::take_first);
    for (std::uint32_t i = 1; i < domains_; ++i) {  // helps threads that are behind, whose core another program may use
        run_open(*all[(id_ + i) % domains_], &StealableRange::take_last);
    }
}

void Worker::run_alone(Ps start, Ps end, std::int64_t window, const std::vector<std::unique_ptr<Worker>>& all) {
    begin_window(start, end, window);
    const bool again = std::exchange(domain_.alone, true);
    for (const auto& other : all) {
        other->domain_.next = never;  // this worker's own domain_.next covers all domains
        if (!again || other.get() == this) { domain_.heard.push_back(other->domain_.woken[before()].data()); }
        for (std::vector<ControlMessage>& box : other->domain_.outbox[before()]) { take_box(box); }
    }
    for (std::uint32_t island = 0; island < domain_.shared.islands.count(); ++island) {
        domain_.next = std::min(domain_.next, run_island(island));
    }
}

void Worker::run_share(Ps start, Ps end, std::int64_t window) {
    begin_window(start, end, window);
    domain_.alone = false;  // what is for another process's nodes must not be delivered here
    domain_.heard.push_back(domain_.woken[before()].data());
    take_box(domain_.outbox[before()][id_]);
    for (const std::uint32_t island : islands_) { domain_.next = std::min(domain_.next, run_island(island)); }
}

void Worker::begin_window(Ps start, Ps end, std::int64_t window) {
    domain_.start = start;
    domain_.window_end = end;
    domain_.window = window;
    domain_.parity = static_cast<unsigned>(window & 1);
    domain_.wakes = domain_.woken[domain_.parity].data();
    domain_.heard.clear();
    domain_.next = never;
}

void Worker::run_open(Worker& of, Claim (StealableRange::*take)()) {
    for (Claim claim = (of.open_.*take)(); claim.count() > 0; claim = (of.open_.*take)()) {
        for (std::uint32_t i = claim.from; i < claim.to; ++i) {
            domain_.next = std::min(domain_.next, run_island(of.islands_[i]));
        }
    }
}

// Runs the nodes of the island step by step.
[[gnu::noinline]] void Worker::run_steps(std::span<const std::uint32_t> nodes) {
    while (domain_.island_next < domain_.window_end) {
        domain_.start = domain_.island_next;
        const Ps step_end = std::min(domain_.window_end, domain_.start + domain_.shared.islands.step[domain_.island]);
        domain_.island_next = never;
        for (const std::uint32_t n : nodes) {
            if (domain_.shared.next[n] < step_end) {
                const bool timed = domain_.nodes[n].refreshing > 0;  // a timer may be due after the step
                const Ps ahead = domain_.start + domain_.shared.islands.ahead[n];
                domain_.end = timed ? step_end : std::min(domain_.window_end, ahead);
                run_node(n);
            }
            domain_.island_next = std::min(domain_.island_next, domain_.shared.next[n]);
        }
    }
}

void Worker::run_node(std::uint32_t n) {
    Domain& d = domain_;
    const Node& node = d.nodes[n];
    d.shared.next[n] = never;  // from here on set only by wakes through a cable from the node to itself
    const Ps arriving = straight_ ? gather<true>(node, n) : gather<false>(node, n);
    for (const Due& due : due_.sort(d.start, d.end)) {
        if (due.is_mail()) {
            take_mail(d, mails_[due.next]);
        } else if (straight_ && !due.frame.is(Frame::notice)) {
            arrive_fast_path(d, due);
        } else {
            arrive(d, due);
        }
    }
    const Ps left = drain_all(d, node, d.end - 1);
    const Ps mailed = d.shared.inboxes[n].empty() ? never : d.shared.inboxes[n].top().time;
    d.shared.next[n] = std::min({d.shared.next[n], arriving, left, mailed});
}

// The packet as it leaves, and by which port. Looked up for all before the first is sent on, so that the caches bring
// what these need at once rather than one after the other.
[[gnu::always_inline]] inline Due Worker::leaving(const Frame& frame, std::uint32_t port) const {
    const Route& route = domain_.traffic.routes[frame.flow];
    const std::uint32_t hop = frame.hop() + 1;
    const std::uint32_t out = domain_.net.port_of(route, frame.variant(), hop);
    __builtin_prefetch(&domain_.ports[out]);
    __builtin_prefetch(&domain_.ports[out].queue);
    static_assert(Frame::hop_mask == 0x3f);  // the lowest bits, so adding 1 adds a hop
    Due due{frame, port, out};
    due.frame.meta = static_cast<std::uint16_t>(frame.meta + (hop + 1U == route.hops ? Frame::last_hop + 1U : 1U));
    return due;
}

// Collects what is due in this step; returns when the first packet after it arrives.
template <bool straight> Ps Worker::gather(const Node& node, std::uint32_t n) {
    Ps next = never;
    due_.clear();
    mails_.clear();
    const Ps end = domain_.end;
    Port* const ports = domain_.net.ports.get();
    const std::uint32_t* const ingress_ports = domain_.net.ingress_ports.data() + node.first_ingress;
    for (std::uint32_t i = 0; i < node.ingress_count; ++i) {
        // What another thread has written comes from its cache, which takes as long as several ports. After the node's
        // ports come those of the next one, which most often runs next.
        static_assert(Network::read_ahead >= 8);
        __builtin_prefetch(&ports[ingress_ports[i + 8]]);
        ports[ingress_ports[i + 4]].wire.prefetch();
        const std::uint32_t p = ingress_ports[i];
        ports[p].wire.pop_while([&](const Frame& frame) {
            if (frame.time() >= end) {
                next = std::min(next, frame.time());
                return false;
            }
            due_.add(straight && !frame.is(Frame::notice) ? leaving(frame, p) : Due{frame, p});
            return true;
        });
    }
    Inbox& inbox = domain_.shared.inboxes[n];
    while (!inbox.empty() && inbox.top().time < domain_.end) {
        const std::uint64_t key = static_cast<std::uint64_t>(inbox.top().time) << 16U | 0xffffU;
        due_.add({{key}, none, static_cast<std::uint32_t>(mails_.size())});
        mails_.push_back(inbox.top());
        inbox.pop();
    }
    return next;
}

}  // namespace fabricast::inline packet
