#include "sim/plan/transfers/message_schedule.hpp"

#include <algorithm>
#include <limits>

namespace fabricast::inline transfers {

namespace {

constexpr Bytes control_message{64};
constexpr std::int64_t most_pieces = 256;  // more would hardly matter: filling the legs takes below 1/256 of the time

using After = std::vector<Schedule::Dependency>;

// The connections of a data path's legs in a schedule, one for each of a leg's paths.
struct Lanes {
    const DataPath* path = nullptr;
    std::vector<std::vector<std::uint32_t>> connections;
};

// The messages of one direction: their lanes, and the cores at the two ends.
struct Way {
    Lanes data;
    bool reversed = false;  // the receiver of the other direction sends
    std::uint32_t sender = 0, receiver = 0;
};

class MessageBuilder {
public:
    MessageBuilder(const Endpoints& c, Bytes bytes, bool both_ways, Schedule& schedule)
        : c_(c), bytes_(bytes), schedule_(schedule) {
        std::uint32_t host = 0;  // the first that no delay has yet
        for (const Delay& delay : schedule.delays) { host = std::max(host, delay.host + 1); }
        next_host_ = host + 2;
        ways_.push_back({lanes(c.choice.path), false, host, host + 1});
        if (both_ways) { ways_.push_back({lanes(c.back), true, host + 1, host}); }
        control_ = lanes(c.control);
        answer_ = lanes(c.answer);
    }

    void add(std::uint32_t messages) {
        const auto hand = [&](const Way& way, const After& after) { return hand_over(way, after); };
        const auto ask = [&](const Way& way, const After& after) { return agree(way, after); };
        if (c_.messaging.in_order) {
            // Each message begins when the previous has ended, as in a stream; directions do not wait for each other.
            Message message(ways_.size());
            for (std::uint32_t m = 0; m < messages; ++m) {
                advance(message, [&](const Way& way, const After& after) { return ask(way, hand(way, after)); });
                schedule_.kept.push_back(carried(message));
            }
            return;
        }
        // Cores hand over all messages before they turn to what arrives, as a window of non-blocking sends does.
        std::vector<Message> sent(messages, Message(ways_.size()));
        for (Message& message : sent) { advance(message, hand); }
        for (Message& message : sent) { advance(message, ask); }
        for (Message& message : sent) { schedule_.kept.push_back(carried(message)); }
        if (c_.messaging.acknowledged) {
            const Way& way = ways_.front();
            const OpId posted = core(way.receiver, c_.messaging.send, {{schedule_.kept.back()}});
            const OpId heard = move(answer_, control_message, {{posted}});
            schedule_.kept.push_back(core(way.sender, c_.messaging.receive, {{heard}}));
        }
    }

private:
    // What the next operation of a message waits for, in each direction.
    using Message = std::vector<After>;

    template <class Step> void advance(Message& message, const Step& step) {
        for (std::size_t w = 0; w < ways_.size(); ++w) { message[w] = step(ways_[w], message[w]); }
    }

    // One message in each direction, from when it may be sent to the end of the later one.
    OpId carried(Message& message) {
        advance(message, [&](const Way& way, const After& ready) { return After{{carry(way, ready)}}; });
        return message.size() == 1 ? message[0][0].op : join({message[0][0], message[1][0]});
    }

    Lanes lanes(const DataPath& path) {
        Lanes made{&path, {}};
        for (const Leg& leg : path.legs) {
            std::vector<std::uint32_t>& of_leg = made.connections.emplace_back();
            for (const PathQuery& query : leg.paths) {
                of_leg.push_back(static_cast<std::uint32_t>(schedule_.connections.size()));
                schedule_.connections.push_back({query, leg.wire_ratio, leg.rate_cap});
            }
        }
        return made;
    }

    OpId core(std::uint32_t host, Duration time, const After& after) { return schedule_.add(Delay{host, time}, after); }

    // An operation that ends when all of `all` have ended. On a host of its own, for a host's delays run in order.
    OpId join(const After& all) { return core(next_host_++, {}, all); }

    // A core's work for a message: the part that the message waits for, then the rest of `gap`, for the core alone.
    OpId busy(std::uint32_t host, Duration waited, Duration gap, const After& after) {
        const OpId done = core(host, waited, after);
        if (gap > waited) { core(host, gap - waited, {{done}}); }
        return done;
    }

    Duration work(const DataPath& path, bool at_receiver) const {
        Duration sum;
        for (const CoreWork& w : path.work) {
            sum += w.receiver == at_receiver && w.blocks ? w.per_message : Duration{};
        }
        return sum;
    }

    After hand_over(const Way& way, const After& after) {
        const Messaging& m = c_.messaging;
        const Duration prepared = work(*way.data.path, false);
        const auto bytes = static_cast<double>(bytes_.count);
        Duration waited = m.send + prepared;
        Duration gap = m.send_gap + prepared;
        if (c_.gpu && bytes <= m.gpu_bounce_max) {
            waited += m.gpu_bounce;
            gap += m.gpu_bounce;
        }
        return {{busy(way.sender, waited, gap, after)}};
    }

    // The rendezvous of a message that is too large to be sent at once: it asks the receiver for a buffer first.
    After agree(const Way& way, const After& handed) {
        if (mode_of(c_, bytes_) == MessageMode::eager) { return handed; }
        const OpId asked = move(way.reversed ? answer_ : control_, control_message, handed);
        const OpId matched =
            core(c_.messaging.offloaded ? next_host_++ : way.receiver, c_.messaging.rendezvous, {{asked}});
        // The answer arrives, and the sender's adapter sends the data without its core.
        return {{move(way.reversed ? control_ : answer_, control_message, {{matched}})}};
    }

    // One message, from when it may be sent to the receiver's last instruction.
    OpId carry(const Way& way, const After& ready) {
        const OpId arrived = move(way.data, bytes_, ready);
        const Duration registered = work(*way.data.path, true);
        return busy(way.receiver, c_.messaging.receive + registered, c_.messaging.receive_gap + registered,
                    {{arrived}});
    }

    // Moves the bytes over the legs piece by piece: a piece waits for its arrival over the leg before and for a buffer.
    OpId move(const Lanes& lanes, Bytes bytes, const After& ready) {
        const DataPath& path = *lanes.path;
        const std::size_t legs = path.legs.size();
        const std::int64_t whole = std::max<std::int64_t>(bytes.count, 1);
        std::int64_t piece = path.piece.count > 0 && legs > 1 ? path.piece.count : whole;
        piece = std::max(piece, (whole + most_pieces - 1) / most_pieces);
        const std::int64_t pieces = (whole + piece - 1) / piece;
        Duration lead = path.fixed_latency();
        if (static_cast<double>(bytes.count) > c_.messaging.inject_max) { lead += c_.messaging.payload_read; }
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
        if (leg.memory_traffic > 0) { return copy_inside(leg, size, start, after); }
        After parts;
        for (const std::uint32_t connection : lanes.connections[l]) {
            parts.push_back({schedule_.add(Transfer{connection, size, start}, after)});
        }
        return parts.size() == 1 ? parts.front().op : join(parts);
    }

    OpId copy_inside(const Leg& leg, Bytes size, Duration start, const After& after) {
        Compute copy;
        copy.device = c_.device;
        copy.bytes = static_cast<double>(size.count) * leg.memory_traffic;
        copy.peak = 1;
        return schedule_.add(copy, After{{core(next_host_++, start, after)}});
    }

    const Endpoints& c_;
    Bytes bytes_;
    Schedule& schedule_;
    std::uint32_t next_host_ = 0;
    std::vector<Way> ways_;
    Lanes control_, answer_;
};

}  // namespace

Messaging messaging_of(const std::string& name, DataPathFigures& figures) {
    const Part& part = figures.catalog().at("messaging", name);
    const auto number = [&](std::string_view figure, double otherwise) {
        return part.has(figure) ? figures.number(name, figure) : otherwise;
    };
    const auto duration = [&](std::string_view figure) { return from_seconds(number(figure, 0)); };
    constexpr double never = std::numeric_limits<double>::infinity();
    Messaging m;
    m.name = name;
    m.send = duration("send.overhead");
    m.send_gap = std::max(m.send, duration("send.gap"));
    m.receive = duration("receive.overhead");
    m.receive_gap = std::max(m.receive, duration("receive.gap"));
    m.inject_max = number("inject_max", never);
    m.payload_read = duration("payload_read");
    m.eager_max = number("eager_max", never);
    m.gpu_eager_max = number("gpu_eager_max", m.eager_max);
    m.gpu_bounce_max = number("gpu_bounce_max", 0);
    m.gpu_bounce = duration("gpu_bounce");
    m.rendezvous = duration("rendezvous");
    m.read_outstanding = number("read.outstanding", 0);
    m.window = static_cast<std::uint32_t>(number("window", 1));
    m.acknowledged = part.word_or("acknowledged", "no") == "yes";
    m.offloaded = part.word_or("offloaded", "no") == "yes";
    m.by_core = part.word_or("posted_by", "core") == "core";
    m.issued_by_gpu = part.word_or("issued_by", "") == "gpu";
    m.in_order = part.word_or("in_order", "no") == "yes";
    return m;
}

MessageMode mode_of(const Endpoints& c, Bytes bytes) {
    const double most = c.gpu ? c.messaging.gpu_eager_max : c.messaging.eager_max;
    return static_cast<double>(bytes.count) > most ? MessageMode::rendezvous : MessageMode::eager;
}

void add_messages(const Endpoints& conversation, Bytes bytes, std::uint32_t messages, bool both_ways,
                  Schedule& schedule) {
    MessageBuilder(conversation, bytes, both_ways, schedule).add(messages);
}

}  // namespace fabricast::inline transfers
