#include "sim/engines/packet/parts_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "sim/engines/common/streams.hpp"

namespace fabricast::inline packet {

namespace {

// In for_each_counter, of a port and of a stream.
constexpr std::size_t port_counters = 2;
enum StreamCounter : std::size_t { sent, next, have, freed, delivered, received, stream_counters };

}  // namespace

// What is seen of a state.
struct PartsState::Look {
    Ps now;
    std::uint32_t psn;  // of a flow: packets of one moment are in the order of their numbers
    Signature signature;

    // What has been due for a while is due now.
    void time(Ps due) { signature.add(std::max<Ps>(0, due - now)); }
    template <class... Values> void add(Values... values) { signature.add_all(values...); }
    void frame(const Frame& frame) {
        time(frame.time());
        add(frame.flow, frame.bytes, frame.meta, frame.is(Frame::notice) ? 0U : (frame.psn() - psn) & 0xffffU);
    }
};

PartsState::PartsState(Shared& shared, const Courses& courses, Members parts) : shared_(shared) {
    std::set<std::uint32_t> ports, nodes, services, counts;
    for (const std::uint32_t p : parts) {
        const Part& part = courses.at(p);
        const std::uint32_t pipeline = courses[p].pipeline;
        ports.insert(part.ports.begin(), part.ports.end());
        services.insert(part.services.begin(), part.services.end());
        if (courses[p].over) { continue; }  // its flows may have been given back
        for (const std::uint32_t i : part.streams) {
            const std::uint32_t s = traffic_.first_stream[pipeline] + i;
            const Stream& stream = traffic_.streams[s];
            if (traffic_.routes[stream.flow].hops == 0) { continue; }
            streams_.push_back(s);
            nodes.insert({traffic_.flows[stream.flow].node, stream.sender});
            for (std::uint32_t f = stream.first_follower; f < stream.first_follower + stream.follower_count; ++f) {
                const Follower& follower = traffic_.followers[f];
                if (follower.have != none) { counts.insert(stream.first_have + follower.have); }
            }
        }
    }
    for (const std::uint32_t p : ports) { nodes.insert({net_.ports[p].from_node, net_.ports[p].to_node}); }
    ports_.assign(ports.begin(), ports.end());
    nodes_.assign(nodes.begin(), nodes.end());
    services_.assign(services.begin(), services.end());
    have_.assign(counts.begin(), counts.end());
    mine_.insert(streams_.begin(), streams_.end());
    longest_ = *std::ranges::max_element(streams_, {}, [&](std::uint32_t s) {
        const Stream& stream = traffic_.streams[s];
        return stream.slots_end > stream.delivered ? (stream.slots_end - stream.delivered) / stream.slices : 0U;
    });
}

std::int64_t PartsState::held(std::uint32_t n) const {
    std::int64_t sum = 0;
    for (const std::uint32_t p : ports_) { sum += net_.ports[p].to_node == n ? net_.ingress[p].bytes : 0; }
    return sum;
}

// Nobody is paused, or was so lately that a timer runs on.
bool PartsState::is_still() const {
    return std::ranges::none_of(ports_, [&](std::uint32_t p) {
        const Ingress& in = net_.ingress[p];
        return net_.ports[p].paused || net_.ports[p].down || in.paused || in.will_refresh || in.over > 0;
    });
}

std::optional<PartsState::Seen> PartsState::at(Ps now) const {
    if (!is_still()) { return {}; }
    Look look{now, traffic_.flows[traffic_.streams[longest_].flow].psn, {}};
    for (const std::uint32_t p : ports_) { see_port(look, p); }
    for (const std::uint32_t s : services_) { look.time(net_.services[s].free); }
    for (const std::uint32_t s : streams_) { see_stream(look, s); }
    see_mail(look);
    return Seen{now, look.signature.key(), counters()};
}

void PartsState::see_port(Look& look, std::uint32_t p) const {
    Port& port = net_.ports[p];
    const PortCounts& counts = net_.counts[p];
    const Ingress& in = net_.ingress[p];
    // Credits that have come are seen when a packet next asks for them.
    std::int64_t credits = port.credits, headers = counts.headers;
    port.signals.for_each([&](const Signal& signal) {
        if (signal.kind == Signal::credit && signal.time <= look.now) {
            const auto bytes = static_cast<std::uint32_t>(signal.value);
            credits += net_.cost(port, bytes);
            headers += port.headers ? net_.forms[port.form].packets(bytes) : 0;
        } else {
            look.time(signal.time);
            look.add(signal.value, std::uint32_t{signal.kind});
        }
    });
    look.time(port.free);
    look.time(in.last_credit);
    look.add(credits, headers, port.queue.size(), counts.draws, counts.marks, counts.paused, in.bytes, in.pauses,
             in.refreshes, in.drops);
    port.queue.for_each([&](const Waiting& waiting) {
        look.frame(waiting.frame);
        look.add(waiting.ingress);
    });
    port.wire.for_each([&](const Frame& frame) { look.frame(frame); });
    if (port.sender == none) { return; }
    shared_.senders[port.sender].for_each([&](std::uint32_t flow, Ps at) {
        look.time(at);
        look.add(flow);
    });
}

void PartsState::see_stream(Look& look, std::uint32_t s) const {
    const Stream& stream = traffic_.streams[s];
    const Flow& flow = traffic_.flows[stream.flow];
    const Route& route = traffic_.routes[stream.flow];
    const Receiver& receiver = traffic_.receivers[stream.flow];
    const bool ends = stream.next == stream.pieces, spread = route.variants > 1;
    look.time(flow.next);
    const bool done = stream.delivered == stream.pieces;
    look.add(done ? 0U : (flow.psn - look.psn) & 0xffffU, flow.left, flow.end_bits, flow.waiting, flow.open,
             flow.variant, spread ? flow.psn % (16U * route.variants) : 0U, stream.started, receiver.got,
             stream.next % stream.slices, stream.delivered % stream.chunk_pieces,
             (ends ? stream.pieces : stream.next) - stream.delivered, ends ? stream.delivered : 0U,
             spread ? stream.next - receiver.piece : 0U);
    for (std::uint32_t f = stream.first_follower; f < stream.first_follower + stream.follower_count; ++f) {
        const Follower& follower = traffic_.followers[f];
        if (follower.have == none) { continue; }
        look.add(traffic_.have[stream.first_have + follower.have] -
                 traffic_.streams[stream.first + follower.stream].have);
    }
    if (stream.follows && stream.next < stream.dependent_end()) {
        look.time(stream.have_at + stream.overhead);
        look.add(stream.have - stream.next);
        const std::uint32_t first = std::max(stream.next, stream.lag()) - stream.lag();
        for (std::uint32_t piece = first; piece + 1 < stream.have; ++piece) {
            const bool kept = stream.have - piece < traffic_.times_each;
            look.time(kept ? traffic_.piece_time(s, piece) + stream.overhead : 0);
        }
    }
    if (stream.next < stream.pieces_with_slots()) { see_slots(look, s); }
}

void PartsState::see_slots(Look& look, std::uint32_t s) const {
    const Stream& stream = traffic_.streams[s];
    const std::uint32_t chunk = (stream.next + stream.slices - 1) / stream.slices;  // the next to begin
    if (stream.slots != std::floor(stream.slots)) {  // which slot a chunk takes depends on its place in its window
        const double slots = static_cast<double>(stream.slots);
        const double first = std::floor(chunk / slots + 1e-9) * slots;
        look.add(std::llround((chunk - first) * 1e6), std::llround((std::ceil(first - 1e-9) - first) * 1e6));
    }
    const auto slot = slot_before(chunk, static_cast<double>(stream.slots));
    look.time(stream.freed_at + stream.overhead);
    look.add(stream.freed * std::int64_t{stream.slices} - stream.next, slot.has_value());
    for (auto needed = static_cast<std::uint32_t>(slot.value_or(0)); needed + 1 < stream.freed; ++needed) {
        const bool kept = stream.freed - needed < traffic_.times_each;
        look.time(kept ? traffic_.slot_time(s, needed) + stream.overhead : 0);
    }
}

void PartsState::see_mail(Look& look) const {
    for (const std::uint32_t n : nodes_) {
        std::vector<ControlMessage> mails;
        std::ranges::copy_if(shared_.inboxes[n].all(), std::back_inserter(mails),
                             [&](const ControlMessage& mail) { return is_mine(mail); });
        std::ranges::sort(mails, {}, [](const ControlMessage& mail) {
            return std::tuple(mail.kind, mail.target, mail.value, mail.time);
        });
        for (const ControlMessage& mail : mails) {
            look.time(mail.time);
            look.add(n, std::uint32_t{mail.kind}, mail.target, mail.value);
        }
    }
}

template <class Visit> void PartsState::for_each_counter(Visit&& visit) const {
    for (const std::uint32_t p : ports_) {
        visit(net_.ports[p].sent_bytes);
        visit(net_.counts[p].starved);
    }
    for (const std::uint32_t s : streams_) {  // as in StreamCounter
        Stream& stream = traffic_.streams[s];
        visit(traffic_.flows[stream.flow].psn);
        visit(stream.next);
        visit(stream.have);
        visit(stream.freed);
        visit(stream.delivered);
        visit(traffic_.receivers[stream.flow].piece);
    }
    for (const std::uint32_t h : have_) { visit(traffic_.have[h]); }
}

std::vector<std::int64_t> PartsState::counters() const {
    std::vector<std::int64_t> all;
    for_each_counter([&](const auto& counter) { all.push_back(static_cast<std::int64_t>(counter)); });
    return all;
}

std::int64_t PartsState::repeats(std::span<const std::int64_t> before, std::span<const std::int64_t> now) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::size_t at = port_counters * ports_.size();
    // Up to where `counter` may go: a bound that was reached before the period began holds nothing any more.
    const auto limit = [&](StreamCounter counter, std::int64_t bound) {
        const std::int64_t was = before[at + counter], is = now[at + counter];
        if (is == was || was >= bound) { return; }
        least = std::min(least, is >= bound ? 0 : (bound - is) / (is - was));
    };
    for (const std::uint32_t s : streams_) {
        const Stream& stream = traffic_.streams[s];
        const std::int64_t was = before[at + next];
        if (now[at + next] != was) {
            const bool began = (!stream.follows || was >= stream.lag()) &&
                               (was >= stream.pieces_with_slots() ||
                                slot_before(static_cast<std::uint64_t>(was / stream.slices), double{stream.slots}));
            const std::int64_t last_chunk = std::int64_t{stream.pieces} - stream.slices;
            if (!began || was >= last_chunk) { return 0; }
            limit(next, last_chunk);
            limit(next, stream.pieces_with_slots());
            if (stream.follows) { limit(next, stream.dependent_end()); }
        }
        limit(delivered, stream.slots_end);
        at += stream_counters;
    }
    return least;
}

void PartsState::shift(Ps period, std::span<const std::int64_t> gains, std::int64_t times) {
    const Ps by = period * times;
    std::size_t at = port_counters * ports_.size();
    for (const std::uint32_t s : streams_) {
        shift_stream(s, by, gains[at + have] * times, gains[at + freed] * times);
        at += stream_counters;
    }
    const auto place = static_cast<std::size_t>(std::ranges::find(streams_, longest_) - streams_.begin());
    const std::int64_t gained = gains[port_counters * ports_.size() + place * stream_counters + sent];
    const auto packets = static_cast<std::uint32_t>(gained * times);
    for (const std::uint32_t p : ports_) { shift_port(p, by, packets); }
    for (const std::uint32_t s : services_) { net_.services[s].free += by; }
    for (const std::uint32_t n : nodes_) {
        shared_.inboxes[n].shift(by, [&](const ControlMessage& mail) { return is_mine(mail); });
    }
    std::size_t i = 0;
    for_each_counter(
        [&](auto& counter) { counter += static_cast<std::remove_reference_t<decltype(counter)>>(gains[i++] * times); });
    count_skipped(gains, times);
}

// All flows have sent the same number of packets more, as far as a packet's number tells.
void PartsState::shift_port(std::uint32_t p, Ps by, std::uint32_t packets) const {
    Port& port = net_.ports[p];
    port.free += by;
    const auto later = [&](Frame& frame) {
        frame.at(frame.time() + by);
        if (!frame.is(Frame::notice)) { frame.number(frame.psn() + packets); }
    };
    port.wire.for_each(later);
    port.queue.for_each([&](Waiting& waiting) { later(waiting.frame); });
    port.signals.for_each([&](Signal& signal) { signal.time += by; });
    net_.counts[p].starved_until += by;
    net_.ingress[p].last_credit += by;
    if (port.sender != none) { shared_.senders[port.sender].shift(by); }
}

void PartsState::shift_stream(std::uint32_t s, Ps by, std::int64_t pieces, std::int64_t chunks) const {
    Stream& stream = traffic_.streams[s];
    Flow& flow = traffic_.flows[stream.flow];
    flow.next += by;
    flow.last += by;
    stream.have_at += by;
    stream.freed_at += by;
    // What was kept of the last pieces and slots is kept of as many later ones.
    const std::uint32_t each = traffic_.times_each;
    std::vector<Ps> kept(each);
    const auto turn = [&](auto&& time, std::int64_t gained) {
        for (std::uint32_t i = 0; i < each; ++i) {
            kept[(i + static_cast<std::uint64_t>(gained)) % each] = time(i) + by;
        }
        for (std::uint32_t i = 0; i < each; ++i) { time(i) = kept[i]; }
    };
    turn([&](std::uint32_t i) -> Ps& { return traffic_.piece_time(s, i); }, pieces);
    turn([&](std::uint32_t i) -> Ps& { return traffic_.slot_time(s, i); }, chunks);
}

void PartsState::count_skipped(std::span<const std::int64_t> gains, std::int64_t times) const {
    DomainCounts& skipped = shared_.skipped;
    std::size_t at = port_counters * ports_.size();
    for (const std::uint32_t s : streams_) {
        const Stream& stream = traffic_.streams[s];
        const std::int64_t packets = gains[at + sent] * times;
        skipped.injected += packets;
        skipped.delivered += packets;
        skipped.hops += packets * traffic_.routes[stream.flow].hops;
        skipped.delivered_bytes += gains[at + next] * times * std::max<std::int64_t>(1, stream.piece_bytes);
        at += stream_counters;
    }
}

}  // namespace fabricast::inline packet
