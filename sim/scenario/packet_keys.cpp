#include "sim/scenario/packet_keys.hpp"

#include "sim/scenario/packet_lane_keys.hpp"
#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

// Packets store their size in 16 bits, and a protocol may double it.
KeyOf<Packet> packet_size_key(std::string name, Bytes Packet::*field, std::string meaning) {
    return within(size_key(std::move(name), field, std::move(meaning)), Bytes{64}, Bytes{32768});
}

// A size for which zero means "not given".
KeyOf<Packet> optional_size_key(std::string name, Bytes Packet::*field, std::string meaning, std::string when_absent) {
    return within(size_key(std::move(name), field, std::move(meaning), std::move(when_absent)), Bytes{1},
                  largest_memory);
}

Rows<Packet> transport_keys() {
    using P = Packet;
    Rows<P> rows = {
        word_key("congestion_control", &P::congestion_control, CongestionControl::infiniband,
                 "How senders find their rate; `auto`: dcqcn on Ethernet, none elsewhere."),
        text_key("preset", &P::preset,
                 "Figures of congestion control and marks: a catalogue part of kind packet-preset.", "the paper's"),
    };
    append(rows,
           keys_below<P>("ecn.", &P::ecn,
                         {
                             number_key("k_min", &EcnOptions::k_min, 0, 1e9,
                                        "A queue marks from here on: bytes for each Gb/s of its port."),
                             number_key("k_max", &EcnOptions::k_max, 0, 1e9, "And marks everything from here on."),
                             number_key("p_max", &EcnOptions::p_max, 0, 1, "Share of packets marked just below that."),
                         }));
    append(rows,
           {
               word_key("recovery", &P::recovery, LossRecovery::selective_repeat,
                        "What is sent again where packets are lost."),
               within(time_key("retransmit_timeout", &P::retransmit_timeout, "Without any acknowledgement."),
                      Duration{1}, longest_timer),
               number_key("loss", &P::loss, 0, 0.5, "Share of packets that a link between nodes corrupts."),
               word_key(
                   "routing", &P::routing, PacketRouting::spray,
                   "How packets choose among equal paths. Other than `ecmp` takes a fabric with `routing: ecmp`, whose "
                   "cables stand alone."),
               whole_key("paths", &P::paths, 1, 32, "Equal paths that one flow may use; 31 where links fail."),
               whole_key("qps", &P::qps, 1, 32,
                         "Queue pairs a connection rotates over, each hashed on its own; 31 where links fail."),
               within(time_key("flowlet_gap", &P::flowlet_gap, "A pause after which a flow may change its path."),
                      Duration{}, longest_timer),
           });
    return rows;
}

}  // namespace

std::vector<Key> packet_keys() {
    using P = Packet;
    Rows<P> rows = {
        packet_size_key("mtu", &P::mtu, "Payload of a packet that crosses the network."),
        packet_size_key("island_mtu", &P::island_mtu, "Unit of traffic that stays inside a node."),
        flag_key("cut_through", &P::cut_through, "Switches forward a packet's head before its tail is in."),
        word_key("flow_control", &P::flow_control, FlowControl::lossy,
                 "Of links between nodes; `auto`: pfc on Ethernet, credits elsewhere."),
        word_key("island_flow_control", &P::island_flow_control, FlowControl::lossy, "Of links inside a node."),
        optional_size_key("buffer", &P::buffer, "Packet memory of a switch, shared by its ports.",
                          "the switch's, else 64 MB"),
        within(size_key("nic_buffer", &P::nic_buffer, "Receive buffer of a NIC."), Bytes{}, largest_memory),
        number_key("alpha", &P::alpha, 1e-6, 64,
                   "Dynamic threshold: an input may hold alpha times the memory that is free."),
        number_key("headroom", &P::headroom, 0, 16, "Memory behind a PFC pause, times what the formula asks."),
        within(size_key("xon_offset", &P::xon_offset, "Resume so far below the threshold."), Bytes{}, largest_memory),
        optional_size_key("credit_buffer", &P::credit_buffer, "Receive buffer of a credit link, or of one lane of it.",
                          "128 KiB between nodes of InfiniBand, else two round trips and four packets"),
        within(time_key("credit_delay", &P::credit_delay, "A receiver's time to return a credit."), Duration{},
               longest_timer),
        whole_key("pause_quanta", &P::pause_quanta, 512, 65535,
                  "Of a PFC frame, 512 bit times each; half of them later it is refreshed."),
        within(time_key("pfc_watchdog", &P::pfc_watchdog, "A queue paused for so long ignores the pause.", "never"),
               Duration{1}, longest_timer),
        flag_key("series", &P::series, "Keep queue, pause and load of ports against time, for --json; --html does."),
        map_key<P>("ecn", "Marks of switches: WRED at dequeue."),
    };
    append(rows, transport_keys());
    append(rows, packet_lane_keys());
    std::vector<Key> keys =
        map_keys("packet", &Scenario::packet, "Of engine packet: [packet.md](packet.md).", std::move(rows));
    keys.front().write = [](const Scenario& s) {
        return std::holds_alternative<Packet>(s.engine) ? Json::object() : Json();
    };
    return keys;
}

}  // namespace fabricast::inline scenario
