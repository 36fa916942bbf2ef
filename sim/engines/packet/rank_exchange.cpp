#include "sim/engines/packet/rank_exchange.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace fabricast::inline packet {

namespace {

struct WindowHeader {
    std::uint64_t plan = 0;
    WindowEnd end;
};

}  // namespace

RankExchange::RankExchange(Peers& peers, Shared& shared, Worker& own)
    : peers_(peers), shared_(shared), own_(own), rank_(peers.rank()), leave_(peers.count()), come_(peers.count()) {
    for (std::uint32_t p = 0; p < shared.net.port_count; ++p) {
        const std::uint32_t from = shared.domain_of(shared.net.ports[p].from_node);
        const std::uint32_t to = shared.domain_of(shared.net.ports[p].to_node);
        if (from == rank_ && to != rank_) { leave_[to].push_back(p); }
        if (to == rank_ && from != rank_) { come_[from].push_back(p); }
    }
}

WindowEnd RankExchange::meet(std::uint64_t plan, unsigned parity) {
    const DomainCounts& counts = own_.counts();
    WindowEnd all{own_.next(), counts.injected - counts.delivered, counts.hops};
    Peers::Message same;
    put_one(same, WindowHeader{plan, all});
    put(same, own_.done());
    std::vector<Peers::Message> to_each(peers_.count());
    for (std::uint32_t r = 0; r < to_each.size(); ++r) {
        if (r == rank_) { continue; }
        to_each[r] = same;
        send_crossings(r, parity, to_each[r]);
    }
    const std::vector<Peers::Message> from_each = peers_.exchange(std::move(to_each));
    for (std::uint32_t r = 0; r < from_each.size(); ++r) {
        if (r == rank_) { continue; }
        Unpacking from(from_each[r]);
        const auto header = from.take_one<WindowHeader>();
        if (header.plan != plan) {
            throw std::logic_error(fmt::format("ranks {} and {} do not simulate the same", rank_, r));
        }
        all.next = std::min(all.next, header.end.next);
        all.in_flight += header.end.in_flight;
        all.hops += header.end.hops;
        const std::vector<Done> done = from.take<Done>();
        own_.done().insert(own_.done().end(), done.begin(), done.end());
        take_crossings(from.take<ControlMessage>(), from);
    }
    return all;
}

// Nobody else takes anything from the wires that lead to another rank's nodes, or from the signals to its ports.
void RankExchange::send_crossings(std::uint32_t to, unsigned parity, Peers::Message& message) {
    std::vector<ControlMessage>& mails = own_.mail_for(to, parity);
    put(message, mails);
    mails.clear();
    std::vector<Numbered<Frame>> frames;
    for (const std::uint32_t p : leave_[to]) {
        Port& port = shared_.net.ports[p];
        port.wire.pop_while([&](const Frame& frame) {
            frames.push_back({p, frame});
            return true;
        });
    }
    put(message, frames);
    std::vector<Numbered<Signal>> signals;
    for (const std::uint32_t p : come_[to]) {
        Port& port = shared_.net.ports[p];
        port.signals.pop_while([&](const Signal& signal) {
            signals.push_back({p, signal});
            return true;
        });
    }
    put(message, signals);
}

void RankExchange::take_crossings(const std::vector<ControlMessage>& mails, Unpacking& from) {
    for (const ControlMessage& mail : mails) { own_.post(mail); }
    for (const auto& [p, frame] : from.take<Numbered<Frame>>()) {
        Port& port = shared_.net.ports[p];
        port.wire.push(frame);
        own_.arrives(port.to_node, frame.time());
    }
    for (const auto& [p, signal] : from.take<Numbered<Signal>>()) {
        Port& port = shared_.net.ports[p];
        if (signal.kind == Signal::credit) {  // one may be heard before those of earlier windows
            port.signals.insert(signal);
            port.signalled.store(true, std::memory_order_relaxed);
        } else {
            port.signal(signal);
        }
        own_.arrives(port.from_node, signal.time);
    }
}

std::vector<Ps> RankExchange::least(std::vector<Ps> values) {
    Peers::Message message;
    put(message, values);
    tell_others(peers_, message, [&](Unpacking from) {
        const std::vector<Ps> theirs = from.take<Ps>();
        for (std::size_t i = 0; i < values.size(); ++i) { values[i] = std::min(values[i], theirs.at(i)); }
    });
    return values;
}

}  // namespace fabricast::inline packet
