#include "sim/scenario/packet_keys.hpp"

#include "base/text.hpp"
#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

constexpr Duration longest_timer = microseconds(1'000'000);
constexpr Bytes largest_memory{std::int64_t{1} << 40};

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
    return together<P>(
        {{
             word_key("congestion_control", &P::congestion_control, CongestionControl::nscc,
                      "How senders find their rate; `auto`: dcqcn on Ethernet, none elsewhere."),
             text_key("preset", &P::preset,
                      "Figures of congestion control, marks and pauses: a catalogue part of kind packet-preset.",
                      "the paper's"),
         },
         keys_below<P>("ecn.", &P::ecn,
                       {
                           number_key("k_min", &EcnOptions::k_min, 0, 1e9,
                                      "A queue marks from here on: bytes for each Gb/s of its port."),
                           number_key("k_max", &EcnOptions::k_max, 0, 1e9, "And marks everything from here on."),
                           number_key("p_max", &EcnOptions::p_max, 0, 1, "Share of packets marked just below that."),
                       }),
         {
             word_key("recovery", &P::recovery, LossRecovery::selective_repeat,
                      "What is sent again where packets are lost."),
             flag_key("trim", &P::trim,
                      "A full queue of a switch cuts a packet to its header, for which it is sent again at once. Takes "
                      "`flow_control: lossy`, which `auto` then means, and recovers by selective repeat."),
             within(time_key("trim_after", &P::trim_after, "A queue that takes this long is full.",
                             "the longest path's round trip"),
                    Duration{1}, longest_timer),
             within(time_key("retransmit_timeout", &P::retransmit_timeout, "Without any acknowledgement."), Duration{1},
                    longest_timer),
             number_key("loss", &P::loss, 0, 0.5, "Share of packets that a link between nodes corrupts."),
             word_key("routing", &P::routing, PacketRouting::spray,
                      "How packets choose among equal paths. Other than `ecmp` takes a fabric with `routing: ecmp`, "
                      "whose cables stand alone."),
             whole_key("paths", &P::paths, 1, 32, "Equal paths that one flow may use; 31 where links fail."),
             whole_key("qps", &P::qps, 1, 32,
                       "Queue pairs a connection rotates over, each hashed on its own; 31 where links fail."),
             within(time_key("flowlet_gap", &P::flowlet_gap, "A pause after which a flow may change its path."),
                    Duration{}, longest_timer),
         }});
}

// "node3", or `any` if the key is absent.
KeyOf<ServiceLevel> node_key(std::string name, std::uint32_t ServiceLevel::*field, std::string meaning) {
    const auto read = [](const Node& node, std::uint32_t& to) {
        const std::string_view name = node.as_string();
        const auto number = name.starts_with("node") ? number_in<std::uint32_t>(name.substr(4)) : std::nullopt;
        if (!number) { node.fail("is not a node of the cluster", "node0, node1, ..."); }
        to = *number;
    };
    return field_key(std::move(name), Form::text, field, std::move(meaning), "any", read);
}

Json level_json(const ServiceLevel& rule) {
    Json json = {{"level", rule.level}};
    if (rule.from != ServiceLevel::any) { json["from"] = "node" + std::to_string(rule.from); }
    if (rule.to != ServiceLevel::any) { json["to"] = "node" + std::to_string(rule.to); }
    return json;
}

Rows<Packet> lane_keys() {
    using L = LaneOptions;
    Rows<L> rows = together<L>(
        {{
             whole_key("count", &L::count, 1, 15, "How many share a link."),
             word_key("choice", &L::choice, LaneChoice::hop,
                      "By service level, or one more with each trunk that is crossed, which breaks circles as long as "
                      "there is one for each; the last serves all beyond."),
             wholes_key("of_level", &L::of_level, 0, 14, "Lane of each service level (SL to VL).",
                        "the level's number, the last lane at most"),
             wholes_key("weights", &L::weights, 1, 255, "Of each lane in turn, times 64 B.", "64"),
             wholes_key("high", &L::high, 0, 14, "Lanes that go before the others.", "none"),
             whole_key("high_limit", &L::high_limit, 0, 255,
                       "Times 4 KiB of them, then another lane may go; 255: no limit."),
         },
         list_keys<L>("levels", &L::levels, "Service levels of messages, the first that fits; 0 without one.",
                      {node_key("from", &ServiceLevel::from, "The sender's node."),
                       node_key("to", &ServiceLevel::to, "The receiver's node."),
                       required(whole_key("level", &ServiceLevel::level, 0, 15, "Its service level."))},
                      level_json)});
    return map_keys<Packet>("lanes", &Packet::lanes,
                            "Lanes of links between nodes: InfiniBand's virtual lanes, Ethernet's priorities. Each has "
                            "its own queue, buffer and flow control.",
                            std::move(rows));
}

Rows<Packet> pcie_keys() {
    using P = PcieOptions;
    const std::string derived = "what two round trips need";
    const auto size = [](std::string name, Bytes P::*field, std::string meaning, std::string absent, Bytes least,
                         Bytes most) {
        return within(size_key(std::move(name), field, std::move(meaning), std::move(absent)), least, most);
    };
    constexpr Bytes one{1}, smallest{64}, largest{4096};  // payloads: PCI-SIG Base 5.0 section 7.5.3.4
    return map_keys<Packet>(
        "pcie", &Packet::pcie, "PCI Express inside nodes.",
        {
            flag_key("transactions", &P::transactions,
                     "Writes, read requests and completions have credits of their own, and NICs read what they send."),
            size("max_payload", &P::max_payload, "Of a write or completion.", "the link's", smallest, largest),
            size("max_read_request", &P::max_read_request, "MRRS: reads are cut into it.", "", smallest, largest),
            size("completion_payload", &P::completion_payload,
                 "Of a completion, where a read completion boundary makes it smaller.", "`max_payload`", smallest,
                 largest),
            whole_key("tags", &P::tags, 1, 65536, "Reads that one device may have under way."),
            flag_key("relaxed_ordering", &P::relaxed_ordering, "Reads and completions may pass writes."),
            whole_key("posted_headers", &P::posted_headers, 1, 65536, "Credits.", derived),
            whole_key("request_headers", &P::request_headers, 1, 65536, "Credits.", derived),
            whole_key("completion_headers", &P::completion_headers, 1, 65536, "Credits.", derived),
            size("posted_data", &P::posted_data, "Credits, 16 B each.", derived, one, largest_memory),
            size("completion_data", &P::completion_data, "Credits, 16 B each.", derived, one, largest_memory),
        });
}

Rows<Packet> infiniband_keys() {
    using I = InfinibandControl;
    return map_keys<Packet>(
        "infiniband", &Packet::infiniband, "InfiniBand's congestion control; a preset may set these.",
        {
            whole_key("threshold", &I::threshold, 0, 15,
                      "A lane marks once more than (16 - threshold) / 16 of its buffer waits; 0: never."),
            whole_key("marking_rate", &I::marking_rate, 0, 65535, "Packets let go between two marked ones."),
            size_key("packet_size", &I::packet_size, "Smaller packets are not marked."),
            whole_key("increase", &I::increase, 1, 255, "Of CCTI, for each BECN."),
            whole_key("least", &I::least, 0, 127, "CCTI_Min."),
            whole_key("limit", &I::limit, 1, 65535, "CCTI_Limit."),
            within(time_key("timer", &I::timer, "CCTI_Timer: CCTI falls by one after it."), Duration{1'000},
                   longest_timer),
            number_key("spacing", &I::spacing, 0, 16384,
                       "Delay behind a packet, in its own times on the wire, for each step of CCTI."),
        });
}

Rows<Packet> window_keys() {
    using H = HpccOptions;
    using S = SwiftOptions;
    using N = NsccOptions;
    return together<Packet>(
        {map_keys<Packet>(
             "hpcc", &Packet::hpcc, "HPCC's window.",
             {
                 number_key("eta", &H::eta, 0.01, 1, "Use of the fullest link that is aimed at."),
                 whole_key("stages", &H::stages, 0, 1000, "Additive steps in a row (maxStage)."),
                 within(size_key("additive", &H::additive, "Of the window, for each step (W_AI)."), Bytes{1},
                        largest_memory),
                 within(time_key("base_rtt", &H::base_rtt, "Round trip without queues (T).", "of the flow's own path"),
                        Duration{1}, longest_timer),
             }),
         map_keys<Packet>(
             "swift", &Packet::swift, "Swift's window.",
             {
                 within(time_key("base_target", &S::base_target, "Round trip that is aimed at, without switches."),
                        Duration{1}, longest_timer),
                 within(time_key("hop", &S::hop, "Longer by it for each switch."), Duration{}, longest_timer),
                 number_key("additive", &S::additive, 1e-6, 1e6, "Packets that a window grows by in a round trip."),
                 number_key("beta", &S::beta, 0, 1, "Cut for each share of the round trip above the target."),
                 number_key("most_cut", &S::most_cut, 0, 0.99, "Largest cut at once."),
                 within(time_key("range", &S::range, "Longer by up to it for small windows; 0: the same for all."),
                        Duration{}, longest_timer),
                 number_key("least_scaled", &S::least_scaled, 1e-6, 1e6, "Packets: the whole range up to here."),
                 number_key("most_scaled", &S::most_scaled, 1e-6, 1e6, "Packets: nothing of it from here on."),
                 number_key("least_window", &S::least_window, 1e-6, 1, "Packets: a window is no smaller."),
             }),
         map_keys<Packet>(
             "nscc", &Packet::nscc, "The window of UEC's NSCC.",
             {
                 within(time_key("target", &N::target, "Delay in queues that is aimed at.",
                                 "the path's round trip; three quarters of it with `trim`"),
                        Duration{1}, longest_timer),
                 number_key("gamma", &N::gamma, 0, 1, "Cut for each share of the mean delay above the target."),
                 number_key("most_cut", &N::most_cut, 0, 0.99, "Largest cut at once."),
                 number_key("proportional", &N::proportional, 0, 1e6,
                            "Packets a round trip by which a window grows without any delay, on 100 Gb/s and 12 us."),
                 number_key("fair", &N::fair, 0, 1e6, "Packets by which it grows before the first mark."),
                 number_key("steady", &N::steady, 0, 1e6, "Packets by which it grows in any case."),
                 number_key("fast", &N::fast, 0, 1e6, "Share of what arrives by which it grows while no queue stands."),
                 number_key("smoothing", &N::smoothing, 0, 1, "Weight of one packet in the mean delay."),
                 whole_key("gate", &N::gate, 0, 30,
                           "If packets are trimmed and less than the largest window's 1/2^gate arrived in a round "
                           "trip, that much becomes the window."),
             })});
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
        optional_size_key("credit_buffer", &P::credit_buffer,
                          "Receive buffer of each cable with credits, or of one lane of it.",
                          "128 KiB between nodes of InfiniBand, else two round trips and four packets"),
        within(time_key("credit_delay", &P::credit_delay, "A receiver's time to return a credit."), Duration{},
               longest_timer),
        whole_key("pause_quanta", &P::pause_quanta, 512, 65535,
                  "Of a PFC frame, 512 bit times each; half of them later it is refreshed."),
        within(time_key("pfc_watchdog", &P::pfc_watchdog, "A queue paused for so long ignores the pause.", "never"),
               Duration{1}, longest_timer),
        flag_key("reuse", &P::reuse,
                 "Simulate once what happens again alone on its links; `false`: all of it, for a comparison."),
        flag_key("series", &P::series,
                 "Keep queue, pause and load of ports against time, for --json; --html, --svg and --trace do."),
        texts_key(
            "sequence", &P::sequence,
            "Two devices, from and to: the first connection between them is drawn packet by packet, by --html and "
            "--svg. Takes `series`, and runs on one thread."),
        map_key<P>("ecn", "Marks of switches: WRED at dequeue."),
    };
    std::vector<Key> keys = map_keys(
        "packet", &Scenario::packet, "Of engine packet: [packet.md](packet.md).",
        together<P>({std::move(rows), transport_keys(), lane_keys(), pcie_keys(), infiniband_keys(), window_keys()}));
    keys.front().write = [](const Scenario& s) {
        return std::holds_alternative<Packet>(s.engine) ? Json::object() : Json();
    };
    return keys;
}

}  // namespace fabricast::inline scenario
