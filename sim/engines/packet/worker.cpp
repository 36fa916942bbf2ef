#include "sim/engines/packet/worker.hpp"

#include <bit>
#include <cassert>
#include <cmath>

#include "base/hash.hpp"
#include "models/ethernet.hpp"

// The members are in eight files, one idea each, but in one translation unit, since the hot ones call each other.
#include "sim/engines/packet/arriving.inl"
#include "sim/engines/packet/lanes.inl"
#include "sim/engines/packet/ports.inl"
#include "sim/engines/packet/reads.inl"
#include "sim/engines/packet/receive_buffers.inl"
#include "sim/engines/packet/receiving.inl"
#include "sim/engines/packet/rerouting.inl"
#include "sim/engines/packet/sending.inl"

namespace fabricast::packet {

Worker::Worker(Shared& shared, std::uint32_t id, std::uint32_t domains)
    : shared_(shared),
      traffic_(shared.traffic),
      net_(shared.net),
      options_(shared.options),
      id_(id),
      domains_(domains),
      island_of_(shared.islands.of.data()) {
    for (std::uint32_t island = 0; island < shared_.islands.count(); ++island) {
        if (shared_.islands.domain[island] == id_) {
            islands_.push_back(island);
        }
    }
    outbox_[0].resize(domains);
    outbox_[1].resize(domains);
    watched_ = !shared_.series.empty();
    straight_ = options_.cut_through && options_.routing != PacketRouting::adaptive && !shared_.corrupts &&
                traffic_.readers.empty() && net_.epochs.empty();
}

void Worker::run(Ps start, Ps end, unsigned parity, const std::vector<std::unique_ptr<Worker>>& all) {
    begin_window(start, end, parity);
    alone_ = false;
    for (const auto& other : all) {
        take_box(other->outbox_[parity ^ 1U][id_]);
    }
    open_.publish(static_cast<std::uint32_t>(islands_.size()));
    for (Claim claim = open_.take_first(); claim.count() > 0; claim = open_.take_first()) {
        run_claimed(islands_, claim);
    }
    for (std::uint32_t i = 1; i < domains_; ++i) {  // helps threads that are behind, whose core another program may use
        Worker& other = *all[(id_ + i) % domains_];
        for (Claim claim = other.open_.take_last(); claim.count() > 0; claim = other.open_.take_last()) {
            run_claimed(other.islands_, claim);
        }
    }
}

void Worker::run_alone(Ps start, Ps end, unsigned parity, const std::vector<std::unique_ptr<Worker>>& all) {
    begin_window(start, end, parity);
    alone_ = true;
    for (const auto& other : all) {
        other->next_ = never;  // this worker's own next_ covers all domains
        for (std::vector<ControlMessage>& box : other->outbox_[parity ^ 1U]) {
            take_box(box);
        }
    }
    for (std::uint32_t island = 0; island < shared_.islands.count(); ++island) {
        next_ = std::min(next_, run_island(island));
    }
}

void Worker::begin_window(Ps start, Ps end, unsigned parity) {
    start_ = start;
    window_end_ = end;
    parity_ = parity;
    wakes_ = shared_.wake[parity].get();
    next_ = never;
}

void Worker::take_box(std::vector<ControlMessage>& box) {
    for (const ControlMessage& mail : box) {
        deliver(mail);
    }
    box.clear();
}

void Worker::run_claimed(const std::vector<std::uint32_t>& islands, Claim claim) {
    for (std::uint32_t i = claim.from; i < claim.to; ++i) {
        next_ = std::min(next_, run_island(islands[i]));
    }
}

// Runs an island step by step up to the window's end; returns when there is more to do.
Ps Worker::run_island(std::uint32_t island) {
    const std::uint32_t* const first = shared_.islands.nodes.data() + shared_.islands.begin_of(island);
    const std::uint32_t* const last = shared_.islands.nodes.data() + shared_.islands.end[island];
    std::atomic<Ps>* const woken = shared_.wake[parity_ ^ 1U].get();
    island_ = island;
    island_next_ = never;
    for (const std::uint32_t* n = first; n != last; ++n) {
        Ps& mine = shared_.next[*n];
        const Ps heard = woken[*n].load(std::memory_order_relaxed);
        if (heard != never) {
            mine = std::min(mine, heard);
            woken[*n].store(never, std::memory_order_relaxed);
        }
        island_next_ = std::min(island_next_, mine);
    }
    while (island_next_ < window_end_) {
        start_ = island_next_;
        end_ = std::min(window_end_, start_ + shared_.islands.step[island]);
        island_next_ = never;
        for (const std::uint32_t* n = first; n != last; ++n) {
            if (shared_.next[*n] < end_) {
                run_node(*n);
            }
            island_next_ = std::min(island_next_, shared_.next[*n]);
        }
    }
    return island_next_;
}

// In the same island: a node that runs later in this step looks at its links itself, and one that has already run keeps
// the time in `next`.
inline void Worker::wake(std::uint32_t node, Ps at) {
    if (island_of_[node] == island_) {
        shared_.next[node] = std::min(shared_.next[node], at);
        island_next_ = std::min(island_next_, at);
    } else if (at < wakes_[node].load(std::memory_order_relaxed)) {  // else the earlier sender knows of it
        wake_other(wakes_[node], at);
    }
}

void Worker::wake_other(std::atomic<Ps>& when, Ps at) {
    next_ = std::min(next_, at);
    Ps known = when.load(std::memory_order_relaxed);
    if (alone_) {
        when.store(at, std::memory_order_relaxed);
        return;
    }
    while (at < known && !when.compare_exchange_weak(known, at, std::memory_order_relaxed)) {
    }
}

void Worker::mail(const ControlMessage& mail) {
    assert(mail.time == earliest(mail.node, mail.time));
    next_ = std::min(next_, mail.time);
    if (alone_ || island_of_[mail.node] == island_) {
        deliver(mail);
    } else {  // another thread may be running that island now
        outbox_[parity_][shared_.domain_of(mail.node)].push_back(mail);
    }
}

void Worker::deliver(const ControlMessage& mail) {
    shared_.inboxes[mail.node].push(mail);
    shared_.next[mail.node] = std::min(shared_.next[mail.node], mail.time);
    if (shared_.islands.of[mail.node] == island_) {
        island_next_ = std::min(island_next_, mail.time);
    }
}

void Worker::run_node(std::uint32_t n) {
    Node& node = net_.nodes[n];
    node_next_ = never;
    shared_.next[n] = never;  // from here on set only by wakes through a cable from the node to itself
    gather(node, n);
    for (std::size_t i = 0; i < due_count_; ++i) {
        const Due& due = due_[i];
        if (due.mail != none) {
            take_mail(mails_[due.mail]);
        } else if (straight_ && !due.frame.is(Frame::notice)) {
            arrive_fast_path(due);
        } else {
            arrive(due);
        }
    }
    const Ps left = drain_all(node, end_ - 1);
    const Ps mailed = shared_.inboxes[n].empty() ? never : shared_.inboxes[n].front().time;
    shared_.next[n] = std::min({shared_.next[n], node_next_, left, mailed});
}

void Worker::gather(const Node& node, std::uint32_t n) {
    due_count_ = 0;
    mails_.clear();
    for (std::uint32_t i = node.first_ingress; i < node.first_ingress + node.ingress_count; ++i) {
        const std::uint32_t p = net_.ingress_ports[i];
        net_.ports[p].wire.pop_while([&](const Frame& frame) {
            if (frame.time() >= end_) {
                node_next_ = std::min(node_next_, frame.time());
                return false;
            }
            add_due({frame, p, none});
            return true;
        });
    }
    Inbox& inbox = shared_.inboxes[n];
    while (!inbox.empty() && inbox.front().time < end_) {
        Due due;
        due.frame.key = static_cast<std::uint64_t>(inbox.front().time) << 16U | 0xffffU;
        due.port = none;
        due.mail = static_cast<std::uint32_t>(mails_.size());
        mails_.push_back(inbox.front());
        add_due(due);
        inbox.pop();
    }
    sort_due();
}

inline void Worker::add_due(const Due& due) {
    if (due_count_ == due_room_) {
        due_room_ = std::max<std::size_t>(64, 2 * due_count_);
        due_.resize(due_room_);
    }
    due_[due_count_++] = due;
}

// Sorts by time, then sequence number, then port; mail comes last and keeps its own order. If there are many, they are
// first distributed into bins of equal time spans.
void Worker::sort_due() {
    const auto before = [](const Due& a, const Due& b) {
        return a.frame.key != b.frame.key ? a.frame.key < b.frame.key
               : a.port != b.port         ? a.port < b.port
                                          : a.mail < b.mail;
    };
    const std::size_t count = due_count_;
    if (count > 24) {
        const std::size_t bins = std::bit_ceil(count);
        const std::uint64_t first = static_cast<std::uint64_t>(start_) << 16U;
        const int span = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(end_ - start_) << 16U));
        const int shift = std::max(0, span - std::countr_zero(bins));
        const auto bin_of = [&](const Due& due) {
            return static_cast<std::size_t>((std::max(due.frame.key, first) - first) >> shift);
        };
        bucket_.assign(bins + 1, 0);
        for (std::size_t i = 0; i < count; ++i) {
            ++bucket_[bin_of(due_[i]) + 1];
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& bucket : bucket_) {
            bucket = sum += bucket;
        }
        sorted_.resize(due_room_);
        for (std::size_t i = 0; i < count; ++i) {
            sorted_[bucket_[bin_of(due_[i])]++] = due_[i];
        }
        due_.swap(sorted_);
    }
    for (std::size_t i = 1; i < count; ++i) {  // nearly in order by now
        if (before(due_[i], due_[i - 1])) {
            const Due moved = due_[i];
            std::size_t j = i;
            for (; j > 0 && before(moved, due_[j - 1]); --j) {
                due_[j] = due_[j - 1];
            }
            due_[j] = moved;
        }
    }
}

void Worker::take_mail(const ControlMessage& mail) {
    switch (mail.kind) {
        case ControlMessage::share: {
            drain(mail.target, mail.time - 1);
            Port& port = net_.ports[mail.target];
            port.down = mail.value == 0;
            port.free = std::max(port.free, mail.time);
            if (!port.down) {
                const double whole = shared_.net.capacity_inverse[mail.target];
                port.inverse = static_cast<std::uint64_t>(std::llround(whole * 1e6 / mail.value));
            } else {
                lose_queue(mail.target, mail.time);
            }
            return;
        }
        case ControlMessage::message: {
            traffic_.message_ready[mail.target] = mail.time;
            wake_flow(mail.value, mail.time);
            return;
        }
        case ControlMessage::stream: {
            Stream& stream = traffic_.streams[mail.target];
            Flow& flow = traffic_.flows[stream.flow];
            stream.started = true;
            flow.next = std::max(flow.next, mail.time + stream.overhead);
            wake_flow(stream.flow, mail.time);
            return;
        }
        case ControlMessage::slot:
            free_slot(mail.target, mail.time);
            return;
        case ControlMessage::notice:
            if (shared_.control == CongestionControl::infiniband) {
                const std::uint32_t controller = traffic_.flows[mail.target].controller;
                shared_.infiniband[controller].on_notice(options_.infiniband, mail.time);
            } else {
                shared_.dcqcn[traffic_.flows[mail.target].controller].on_notice(options_.dcqcn, mail.time);
            }
            return;
        case ControlMessage::ack:
            if (shared_.lossy) {
                on_ack(mail.target, mail.value);
            } else {
                const std::uint32_t controller = traffic_.flows[mail.target].controller;
                shared_.timelies[controller].on_ack(options_.timely, mail.value / shared_.ack_every[controller],
                                                    mail.time, options_.dcqcn.least_rate);
            }
            return;
        case ControlMessage::nak:
            rewind(mail.target, mail.value, mail.time);
            return;
        case ControlMessage::reroute:
            reroute(mail.target, mail.time);
            return;
        case ControlMessage::timeout:
            on_timeout(mail.target, mail.time);
            return;
        case ControlMessage::refresh:
            refresh(mail.target, mail.time);
            return;
        case ControlMessage::want:
            traffic_.readers[mail.target].wanted.push(mail.value);
            wake_flow(traffic_.readers[mail.target].requests, mail.time);
            return;
        case ControlMessage::grant:
            traffic_.readers[traffic_.reader_of[mail.target]].granted += mail.value;
            wake_flow(mail.target, mail.time);
            return;
        case ControlMessage::returned:
            return_tag(mail.target, mail.value, mail.time);
            return;
    }
}

}  // namespace fabricast::packet
