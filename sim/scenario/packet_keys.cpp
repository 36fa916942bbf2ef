#include "sim/scenario/packet_keys.hpp"

#include "sim/scenario/packet_lane_keys.hpp"
#include "sim/scenario/rows.hpp"

namespace fabricast {

using namespace rows;

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
#define FIELD(member) \
    [](auto& scenario) -> auto& { return scenario.packet.member; }
// NOLINTEND(bugprone-macro-parentheses)

namespace {

// Packets store their size in 16 bits, and a protocol may double it.
template <class Field>
Key packet_size_key(std::string path, Field field, std::string meaning) {
    return within(size_key(std::move(path), field, std::move(meaning)), Bytes{64}, Bytes{32768});
}

// A size for which zero means "not given".
template <class Field>
Key optional_size_key(std::string path, Field field, std::string meaning, std::string when_absent) {
    return within(size_key(std::move(path), field, std::move(meaning), std::move(when_absent)), Bytes{1},
                  largest_memory);
}

Key block_key() {
    Key key = map_key("packet", "Of engine packet: [packet.md](packet.md).");
    key.write = [](const Scenario& s) { return std::holds_alternative<Packet>(s.engine) ? Json::object() : Json(); };
    return key;
}

std::vector<Key> transport_keys() {
    return {
        word_key("packet.congestion_control", FIELD(congestion_control), CongestionControl::infiniband,
                 "How senders find their rate; `auto`: dcqcn on Ethernet, none elsewhere."),
        text_key("packet.preset", FIELD(preset),
                 "Figures of congestion control and marks: a catalogue part of kind packet-preset.", "the paper's"),
        number_key("packet.ecn.k_min", FIELD(ecn.k_min), 0, 1e9,
                   "A queue marks from here on: bytes for each Gb/s of its port."),
        number_key("packet.ecn.k_max", FIELD(ecn.k_max), 0, 1e9, "And marks everything from here on."),
        number_key("packet.ecn.p_max", FIELD(ecn.p_max), 0, 1, "Share of packets marked just below that."),
        word_key("packet.recovery", FIELD(recovery), LossRecovery::selective_repeat,
                 "What is sent again where packets are lost."),
        within(time_key("packet.retransmit_timeout", FIELD(retransmit_timeout), "Without any acknowledgement."),
               Duration{1}, longest_timer),
        number_key("packet.loss", FIELD(loss), 0, 0.5, "Share of packets that a link between nodes corrupts."),
        word_key("packet.routing", FIELD(routing), PacketRouting::spray,
                 "How packets choose among equal paths. Other than `ecmp` takes a fabric with `routing: ecmp`, whose "
                 "cables stand alone."),
        whole_key("packet.paths", FIELD(paths), 1, 32, "Equal paths that one flow may use; 31 where links fail."),
        whole_key("packet.qps", FIELD(qps), 1, 32,
                  "Queue pairs a connection rotates over, each hashed on its own; 31 where links fail."),
        within(time_key("packet.flowlet_gap", FIELD(flowlet_gap), "A pause after which a flow may change its path."),
               Duration{}, longest_timer),
    };
}

}  // namespace

std::vector<Key> packet_keys() {
    std::vector<Key> keys = {
        block_key(),
        packet_size_key("packet.mtu", FIELD(mtu), "Payload of a packet that crosses the network."),
        packet_size_key("packet.island_mtu", FIELD(island_mtu), "Unit of traffic that stays inside a node."),
        flag_key("packet.cut_through", FIELD(cut_through), "Switches forward a packet's head before its tail is in."),
        word_key("packet.flow_control", FIELD(flow_control), FlowControl::lossy,
                 "Of links between nodes; `auto`: pfc on Ethernet, credits elsewhere."),
        word_key("packet.island_flow_control", FIELD(island_flow_control), FlowControl::lossy,
                 "Of links inside a node."),
        optional_size_key("packet.buffer", FIELD(buffer), "Packet memory of a switch, shared by its ports.",
                          "the switch's, else 64 MB"),
        within(size_key("packet.nic_buffer", FIELD(nic_buffer), "Receive buffer of a NIC."), Bytes{}, largest_memory),
        number_key("packet.alpha", FIELD(alpha), 1e-6, 64,
                   "Dynamic threshold: an input may hold alpha times the memory that is free."),
        number_key("packet.headroom", FIELD(headroom), 0, 16,
                   "Memory behind a PFC pause, times what the formula asks."),
        within(size_key("packet.xon_offset", FIELD(xon_offset), "Resume so far below the threshold."), Bytes{},
               largest_memory),
        optional_size_key("packet.credit_buffer", FIELD(credit_buffer),
                          "Receive buffer of a credit link, or of one lane of it.",
                          "128 KiB between nodes of InfiniBand, else two round trips and four packets"),
        within(time_key("packet.credit_delay", FIELD(credit_delay), "A receiver's time to return a credit."),
               Duration{}, longest_timer),
        whole_key("packet.pause_quanta", FIELD(pause_quanta), 512, 65535,
                  "Of a PFC frame, 512 bit times each; half of them later it is refreshed."),
        within(time_key("packet.pfc_watchdog", FIELD(pfc_watchdog), "A queue paused for so long ignores the pause.",
                        "never"),
               Duration{1}, longest_timer),
        flag_key("packet.series", FIELD(series),
                 "Keep queue, pause and load of ports against time, for --json; --html does."),
        map_key("packet.ecn", "Marks of switches: WRED at dequeue."),
    };
    append(keys, transport_keys());
    append(keys, packet_lane_keys());
    return keys;
}

#undef FIELD

}  // namespace fabricast
