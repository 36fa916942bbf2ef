#include "sim/plan/transfers/message_schedule.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace fabricast {

namespace {

constexpr Bytes control_message{64};
constexpr std::int64_t most_pieces = 256;  // more would hardly matter: filling the legs takes below 1/256 of the time

using After = std::vector<Schedule::Dependency>;

// The connections of a data path's legs in a schedule, one for each of a leg's paths.
struct Lanes {
    const DataPath* path = nullptr;
    std::vector<std::vector<std::uint32_t>> connections;
};

class MessageBuilder {
public:
    MessageBuilder(const Endpoints& c, Bytes bytes) : c_(c), bytes_(bytes) {}

    MessageSchedule build(std::uint32_t messages, bool both_ways) {
        const Lanes forward_path = lanes(c_.forward_path);
        const Lanes back = both_ways ? lanes(c_.back) : Lanes{};
        const Lanes there = lanes(c_.control);
        const Lanes answer = lanes(c_.answer);
        if (c_.messaging.in_order) {
            return one_by_one(forward_path, back, there, answer, messages, both_ways);
        }
        // Cores hand over all messages before they turn to what arrives, as a window of non-blocking sends does.
        std::vector<After> sent;
        std::vector<After> sent_back;
        for (std::uint32_t m = 0; m < messages; ++m) {
            sent.push_back(hand_over(*c_.forward_path, sender, {}));
            if (both_ways) {
                sent_back.push_back(hand_over(*c_.back, receiver, {}));
            }
        }
        for (std::uint32_t m = 0; m < messages; ++m) {
            sent[m] = agree(there, answer, sent[m], false);
            if (both_ways) {
                sent_back[m] = agree(answer, there, sent_back[m], true);
            }
        }
        for (std::uint32_t m = 0; m < messages; ++m) {
            OpId end = carry(forward_path, sent[m], false);
            if (both_ways) {
                const OpId other = carry(back, sent_back[m], true);
                end = join({{end}, {other}});
            }
            out_.ends.push_back(end);
        }
        if (c_.messaging.acknowledged) {
            const OpId posted = core(receiver, c_.messaging.send, {{out_.ends.back()}});
            const OpId heard = move(answer, control_message, {{posted}});
            out_.acknowledged = core(sender, c_.messaging.receive, {{heard}});
        }
        out_.schedule.kept = out_.ends;
        if (out_.acknowledged) {
            out_.schedule.kept.push_back(*out_.acknowledged);
        }
        return std::move(out_);
    }

private:
    enum Host : std::uint32_t { sender, receiver, first_free };

    // Each message begins when the previous one has ended, as copies of one stream do; the two directions do not wait
    // for each other.
    MessageSchedule one_by_one(const Lanes& forward_path, const Lanes& back, const Lanes& there, const Lanes& answer,
                               std::uint32_t messages, bool both_ways) {
        After before;
        After before_back;
        for (std::uint32_t m = 0; m < messages; ++m) {
            const After onward = agree(there, answer, hand_over(*c_.forward_path, sender, before), false);
            const After backward =
                both_ways ? agree(answer, there, hand_over(*c_.back, receiver, before_back), true) : After{};
            OpId end = carry(forward_path, onward, false);
            before = {{end}};
            if (both_ways) {
                const OpId other = carry(back, backward, true);
                before_back = {{other}};
                end = join({{end}, {other}});
            }
            out_.ends.push_back(end);
        }
        out_.schedule.kept = out_.ends;
        return std::move(out_);
    }

    Lanes lanes(const DataPath* path) {
        Lanes made{path, {}};
        for (const Leg& leg : path->legs) {
            std::vector<std::uint32_t> of_leg;
            for (const PathQuery& query : leg.paths) {
                of_leg.push_back(static_cast<std::uint32_t>(out_.schedule.connections.size()));
                out_.schedule.connections.push_back({query, leg.wire_ratio, leg.rate_cap});
            }
            made.connections.push_back(std::move(of_leg));
        }
        return made;
    }

    OpId core(std::uint32_t host, Duration time, const After& after) {
        return out_.schedule.add(Delay{host, time}, after);
    }

    // An operation that ends when all of `all` have ended. It gets a separate host because delays of one host run in
    // the order of the schedule.
    OpId join(const After& all) { return out_.schedule.add(Delay{next_host_++, {}}, all); }

    // A core's work for one message: first the part that the message waits for, then the rest of `gap`, which only the
    // core's next work waits for.
    OpId busy(std::uint32_t host, Duration waited, Duration gap, const After& after) {
        const OpId done = core(host, waited, after);
        if (gap > waited) {
            core(host, gap - waited, {{done}});
        }
        return done;
    }

    Duration work(const DataPath& path, bool at_receiver) const {
        Duration sum;
        for (const CoreWork& w : path.work) {
            sum += w.receiver == at_receiver && w.blocks ? w.per_message : Duration{};
        }
        return sum;
    }

    After hand_over(const DataPath& path, Host host, const After& after) {
        const Messaging& m = c_.messaging;
        const auto bytes = static_cast<double>(bytes_.count);
        Duration waited = m.send + work(path, false);
        Duration gap = m.send_gap + work(path, false);
        if (c_.gpu && bytes <= m.gpu_bounce_max) {
            waited += m.gpu_bounce;
            gap += m.gpu_bounce;
        }
        return {{busy(host, waited, gap, after)}};
    }

    // The rendezvous of a message that is too large to be sent at once: it asks the receiver for a buffer first.
    After agree(const Lanes& there, const Lanes& answer, const After& handed, bool reversed) {
        if (mode_of(c_, bytes_) == MessageMode::eager) {
            return handed;
        }
        const OpId asked = move(there, control_message, handed);
        const Duration step = c_.messaging.rendezvous;
        const OpId matched = c_.messaging.offloaded ? out_.schedule.add(Delay{next_host_++, step}, After{{asked}})
                                                    : core(reversed ? sender : receiver, step, {{asked}});
        // The answer arrives, and the sender's adapter sends the data without its core.
        return {{move(answer, control_message, {{matched}})}};
    }

    // One message, from when it may be sent to the receiver's last instruction.
    OpId carry(const Lanes& data, const After& ready, bool reversed) {
        const OpId arrived = move(data, bytes_, ready);
        const Duration registered = work(*data.path, true);
        return busy(reversed ? sender : receiver, c_.messaging.receive + registered,
                    c_.messaging.receive_gap + registered, {{arrived}});
    }

    // Moves the bytes over the legs piece by piece: a piece waits until it has arrived over the previous leg and the
    // next leg has freed a buffer.
    OpId move(const Lanes& lanes, Bytes bytes, const After& ready) {
        const DataPath& path = *lanes.path;
        const std::size_t legs = path.legs.size();
        const std::int64_t whole = std::max<std::int64_t>(bytes.count, 1);
        std::int64_t piece = path.piece.count > 0 && legs > 1 ? path.piece.count : whole;
        piece = std::max(piece, (whole + most_pieces - 1) / most_pieces);
        const std::int64_t pieces = (whole + piece - 1) / piece;
        Duration lead = path.fixed_latency();
        if (static_cast<double>(bytes.count) > c_.messaging.inject_max) {
            lead += c_.messaging.payload_read;
        }
        std::vector<std::vector<OpId>> done(legs);
        for (std::int64_t p = 0; p < pieces; ++p) {
            const Bytes size{std::min(piece, whole - p * piece)};
            for (std::size_t l = 0; l < legs; ++l) {
                After after = l == 0 ? ready : After{{done[l - 1].back()}};
                if (l + 1 < legs && p >= path.slots) {
                    after.push_back({done[l + 1][static_cast<std::size_t>(p - path.slots)]});
                }
                const Duration before = p == 0 ? (l == 0 ? lead : Duration{}) : path.legs[l].restart;
                const Duration start = path.legs[l].start + before;
                done[l].push_back(move_piece(lanes, l, size, start, after));
            }
        }
        return done.back().back();
    }

    OpId move_piece(const Lanes& lanes, std::size_t l, Bytes size, Duration start, const After& after) {
        const Leg& leg = lanes.path->legs[l];
        if (leg.memory_traffic > 0) {
            return copy_inside(leg, size, start, after);
        }
        After parts;
        for (const std::uint32_t connection : lanes.connections[l]) {
            parts.push_back({out_.schedule.add(Transfer{connection, size, start}, after)});
        }
        return parts.size() == 1 ? parts.front().op : join(parts);
    }

    OpId copy_inside(const Leg& leg, Bytes size, Duration start, const After& after) {
        Compute copy;
        copy.device = c_.device;
        copy.bytes = static_cast<double>(size.count) * leg.memory_traffic;
        copy.peak = 1;
        const OpId started = out_.schedule.add(Delay{next_host_++, start}, after);
        return out_.schedule.add(copy, After{{started}});
    }

    const Endpoints& c_;
    Bytes bytes_;
    std::uint32_t next_host_ = first_free;
    MessageSchedule out_;
};

}  // namespace

MessageMode mode_of(const Endpoints& c, Bytes bytes) {
    const double most = c.gpu ? c.messaging.gpu_eager_max : c.messaging.eager_max;
    return static_cast<double>(bytes.count) > most ? MessageMode::rendezvous : MessageMode::eager;
}

void append(Schedule& into, const Schedule& other) {
    const auto operations = static_cast<std::uint32_t>(into.size());
    const auto connections = static_cast<std::uint32_t>(into.connections.size());
    std::uint32_t hosts = 0;
    for (const Delay& delay : into.delays) {
        hosts = std::max(hosts, delay.host + 1);
    }
    const auto moved = [&](OpId op) { return OpId{static_cast<std::uint32_t>(op) + operations}; };
    into.connections.insert(into.connections.end(), other.connections.begin(), other.connections.end());
    for (std::uint32_t op = 0; op < other.size(); ++op) {
        After after;
        for (std::size_t i = 0; i < other.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = other.dependency(OpId{op}, i);
            after.push_back({moved(d.op), d.when});
        }
        const std::uint32_t detail = other.detail(OpId{op});
        switch (other.kind(OpId{op})) {
            case OpKind::transfer: {
                Transfer transfer = other.transfers[detail];
                transfer.connection += connections;
                into.add(transfer, after);
                break;
            }
            case OpKind::delay: {
                Delay delay = other.delays[detail];
                delay.host += hosts;
                into.add(delay, after);
                break;
            }
            case OpKind::compute:
                into.add(other.computes[detail], after);
                break;
            case OpKind::pipeline:
                assert(false && "messages make no pipelines");
                break;
        }
    }
    for (const OpId op : other.kept) {
        into.kept.push_back(moved(op));
    }
}

MessageSchedule schedule_messages(const Endpoints& conversation, Bytes bytes, std::uint32_t messages, bool both_ways) {
    return MessageBuilder(conversation, bytes).build(messages, both_ways);
}

}  // namespace fabricast
