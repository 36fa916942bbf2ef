#pragma once
// Runs the nodes that one thread owns, window by window. Nothing that one island sends to another in a window arrives
// in the same window, so each island is run alone, and inside it each node for one step: what came over its links is
// merged by time and queued or sent on, and its ports are drained up to the end of the step. A port's departures are
// computed when the port is next looked at, without an event for each: there is about one event per packet and hop.

#include <atomic>
#include <memory>
#include <vector>

#include "sim/engines/common/streams.hpp"
#include "sim/engines/packet/control_message.hpp"
#include "sim/engines/packet/controller.hpp"
#include "sim/engines/packet/infiniband_rate.hpp"
#include "sim/engines/packet/logical_processes.hpp"
#include "sim/engines/packet/recovery.hpp"
#include "sim/engines/packet/sender.hpp"
#include "sim/engines/packet/series.hpp"
#include "sim/engines/packet/shared.hpp"
#include "sim/engines/packet/stealable_range.hpp"

namespace fabricast::packet {

struct DomainCounts {
    std::int64_t injected = 0, hops = 0, delivered = 0, delivered_bytes = 0, notices = 0, lost = 0;
};

class Worker {
public:
    Worker(Shared& shared, std::uint32_t id, std::uint32_t domains);

    // Runs every node of this domain that has something to do in [start, end), while other threads run the others.
    // `parity` alternates.
    void run(Ps start, Ps end, unsigned parity, const std::vector<std::unique_ptr<Worker>>& all);
    // Runs every node of all domains; no other thread may run.
    void run_alone(Ps start, Ps end, unsigned parity, const std::vector<std::unique_ptr<Worker>>& all);

    // When there is next something to do, here or for those that this worker has sent to. Valid after run().
    Ps next() const { return next_; }
    std::vector<Done>& done() { return done_; }
    const DomainCounts& counts() const { return counts_; }
    // Called from outside, between windows.
    void post(const ControlMessage& mail) { deliver(mail); }

private:
    // [[gnu::cold]] below: not on the path of a packet that nothing holds up. Inlined into that path, these functions
    // would add a tenth to the instructions of every hop.

    // A packet that has arrived, or a control message that is due, in this window.
    struct Due {
        Frame frame;
        std::uint32_t port = 0;
        std::uint32_t mail = none;
    };

    void begin_window(Ps start, Ps end, unsigned parity);
    void take_box(std::vector<ControlMessage>& box);
    Ps run_island(std::uint32_t island);
    void run_claimed(const std::vector<std::uint32_t>& islands, Claim claim);
    void run_node(std::uint32_t n);
    void gather(const Node& node, std::uint32_t n);
    void add_due(const Due& due);
    void sort_due();
    void take_mail(const ControlMessage& mail);
    void arrive_fast_path(const Due& due);
    void arrive(const Due& due);
    [[gnu::cold]] std::uint32_t choose_way(const Frame& frame, const Route& route, std::uint32_t hop, Ps now) const;
    void forward(std::uint32_t out, Frame frame, std::uint32_t in, Ps arrived);
    void enqueue(std::uint32_t out, const Frame& frame, std::uint32_t in, Ps arrived);

    // Receive buffers.
    bool accept(std::uint32_t in, std::uint32_t bytes, Ps now);
    void vacate(std::uint32_t in, std::uint32_t bytes, Ps now);
    void set_paused(std::uint32_t in, bool paused, Ps now);
    void tell_pause(std::uint32_t in, bool paused, Ps now);
    [[gnu::cold]] void refresh(std::uint32_t in, Ps now);
    void return_credit(std::uint32_t in, std::uint32_t bytes, Ps at);

    // Ports.
    struct Turn {
        Ps start;
        std::uint32_t port;
    };
    struct Candidate {  // port that may send next
        Ps start;
        std::uint32_t port;
        std::uint64_t as_of;  // value of held_up_ when `start` was computed
        std::pair<Ps, std::uint32_t> turn() const { return {start, port}; }
    };
    struct Lifting {
        Ps time;
        bool by_watchdog;  // a watchdog overrides the pause
    };
    [[gnu::cold]] Lifting lifts(const PortCounts& counts) const;
    std::uint32_t pause_bytes() const;
    void take_credit(std::uint32_t p, std::uint32_t bytes);
    [[gnu::cold]] void hold_wire(std::uint32_t p, Ps until);
    [[gnu::cold]] bool any_active(std::uint32_t p) const;
    [[gnu::cold]] Ps first_arrived(std::uint32_t p) const;
    [[gnu::cold]] bool behind_writes(std::uint32_t p, Ps arrived) const;
    [[gnu::cold]] Turn next_turn(std::uint32_t first, Ps until);
    [[gnu::cold]] Ps drain_lanes(std::uint32_t first, Ps until);
    Ps next_start(std::uint32_t p, Ps until);
    Ps admit(std::uint32_t p, Ps start, Ps until, std::uint32_t bytes);
    Ps hear(std::uint32_t p, Ps start, Ps until, std::uint32_t bytes);
    void apply(std::uint32_t p, const Signal& signal);
    void drain(std::uint32_t p, Ps until);
    void drain_in_order(const Node& node, Ps until);
    void drain_entangled(const Node& node, Ps until);
    Ps drain_all(const Node& node, Ps until);
    void send_one(std::uint32_t p, Ps start);
    [[gnu::always_inline]] void emit(std::uint32_t p, Frame frame, Ps start);
    bool in_order(const Node& node) const { return node.paused_ingresses > 0 || node.serves; }
    void set_active(std::uint32_t p);
    void clear_active(std::uint32_t p);
    Ps after_services(std::uint32_t p, const Frame& frame, Ps start) const;
    void use_services(std::uint32_t p, const Frame& frame, Ps start);
    void mark(std::uint32_t p, Frame& frame, Ps start);
    [[gnu::cold]] void mark_forward(std::uint32_t p, Frame& frame, Ps start);
    [[gnu::cold]] bool is_corrupted(std::uint32_t p, const Frame& frame) const;

    // Flows: sending.
    Frame next_packet(std::uint32_t p, Ps start);
    bool begin_piece(Flow& flow, std::uint32_t f);
    bool begin_message(Flow& flow, Messages& messages);
    bool begin_stream_piece(Flow& flow, std::uint32_t s);
    void add_piece(std::uint32_t s, Ps now);
    void free_slot(std::uint32_t s, Ps now);
    void wake_flow(std::uint32_t f, Ps now);
    [[gnu::cold]] std::uint8_t way_of(Flow& flow, const Route& route, Ps start) const;
    Ps paced(Flow& flow, std::uint32_t bytes, Ps start);

    // Reads over PCIe.
    std::uint32_t ready_pieces(std::uint32_t f, std::uint32_t known) const;
    [[gnu::cold]] void announce(std::uint32_t f, Ps now);
    [[gnu::cold]] bool begin_request(Flow& flow, std::uint32_t f);
    [[gnu::cold]] void receive_request(std::uint32_t f, const Frame& frame, Ps tail);
    [[gnu::cold]] bool is_granted(const Flow& flow, std::uint32_t f) const;
    [[gnu::cold]] void count_granted(std::uint32_t f, std::uint32_t psn, std::uint32_t bytes);
    [[gnu::cold]] void return_tag(std::uint32_t r, std::uint32_t bytes, Ps now);
    [[gnu::cold]] void end_read(std::uint32_t f, const Frame& frame, Ps tail);

    // Flows: receiving.
    void receive(std::uint32_t p, const Frame& frame, Ps tail);
    [[gnu::cold]] void receive_lossy(std::uint32_t p, const Frame& frame, Ps tail);
    [[gnu::cold]] void ask_for_missing(std::uint32_t f, Ps tail);
    [[gnu::cold]] void receive_spread(std::uint32_t p, const Frame& frame, Ps tail);
    void complete(std::uint32_t p, std::uint32_t f, std::uint16_t meta, Ps tail);
    void on_piece(std::uint32_t f, Ps now);
    std::int64_t bytes_of_piece(std::uint32_t f, std::uint32_t piece) const;
    std::uint32_t packets_of_piece(std::uint32_t f, std::uint32_t piece) const;
    Ps way_back(std::uint32_t f) const;
    void tell_sender(std::uint32_t f, ControlMessage::Kind kind, std::uint32_t value, Ps tail);

    // Links that go down.
    bool may_stay(const Frame& frame, Ps now) const;
    [[gnu::cold]] bool divert(Frame& frame, std::uint32_t hop, Ps now) const;
    [[gnu::cold]] void lose(std::uint32_t in, std::uint32_t bytes, Ps now);
    [[gnu::cold]] void lose_queue(std::uint32_t p, Ps now);
    [[gnu::cold]] void reroute(std::uint32_t f, Ps now);

    // Recovery: sending.
    [[gnu::cold]] void on_ack(std::uint32_t f, std::uint32_t psn);
    [[gnu::cold]] void rewind(std::uint32_t f, std::uint32_t psn, Ps now);
    [[gnu::cold]] void on_timeout(std::uint32_t f, Ps now);

    // The earliest time, not before `at`, at which the node may hear of something that happens now.
    Ps earliest(std::uint32_t node, Ps at) const {
        return std::max(at, shared_.islands.of[node] == island_ ? end_ : window_end_);
    }
    void wake(std::uint32_t node, Ps at);
    void wake_other(std::atomic<Ps>& when, Ps at);
    void mail(const ControlMessage& mail);
    void deliver(const ControlMessage& mail);

    Shared& shared_;
    Traffic& traffic_;
    Network& net_;
    const Packet& options_;
    std::uint32_t id_, domains_;
    bool alone_ = true;                 // no other thread runs in this window
    const std::uint32_t* island_of_;    // per node
    std::atomic<Ps>* wakes_ = nullptr;  // of this window
    std::vector<std::uint32_t> islands_;
    StealableRange open_;          // the islands still to be run in this window
    std::uint32_t island_ = none;  // the island that is running
    Ps island_next_ = never;
    Ps window_end_ = 0;
    Ps start_ = 0, end_ = 0;  // the island's current step
    Ps next_ = never;
    Ps node_next_ = never;
    unsigned parity_ = 0;
    std::vector<Candidate> candidates_;
    std::uint64_t held_up_ = 0;  // how often a departure may have held up other ports
    bool watched_ = false;       // ports' series are kept
    bool straight_ = true;       // packets take arrive_fast_path()
    std::size_t due_count_ = 0, due_room_ = 0;
    std::vector<Due> due_, sorted_;  // the first `due_count_` are valid
    std::vector<std::uint32_t> bucket_;
    std::vector<ControlMessage> mails_;                   // due in the node that is running
    std::vector<std::vector<ControlMessage>> outbox_[2];  // per domain
    std::vector<Done> done_;
    DomainCounts counts_;
};

}  // namespace fabricast::packet
