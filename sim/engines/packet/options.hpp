#pragma once
// Options of the packet engine. The figures of a preset replace these defaults when the scenario's catalogue is known
// (sim/scenario/packet_options.cpp); a zero means "derived from the link" if the comment says so.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_name.hpp"
#include "base/units.hpp"
#include "sim/engines/common/engine_traits.hpp"

namespace fabricast::inline packet {

// How a link keeps its receiver from overflowing. `automatic`: PFC on Ethernet, credits on InfiniBand, NVLink and PCIe.
enum class FlowControl : std::uint8_t {
    automatic,
    pfc,
    credits,
    lossless,  // unbounded buffers: no control, no loss
    lossy      // no control: packets that do not fit are dropped and sent again
};

inline std::string_view to_string(FlowControl value) {
    return enum_name<5>({"auto", "pfc", "credits", "lossless", "lossy"}, value);
}

enum class CongestionControl : std::uint8_t { automatic, none, dcqcn, timely, infiniband, hpcc, swift, nscc };
inline std::string_view to_string(CongestionControl value) {
    return enum_name<8>({"auto", "none", "dcqcn", "timely", "infiniband", "hpcc", "swift", "nscc"}, value);
}

// How switches choose among equal paths.
enum class PacketRouting : std::uint8_t { ecmp, flowlet, adaptive, spray };
inline std::string_view to_string(PacketRouting value) {
    return enum_name<4>({"ecmp", "flowlet", "adaptive", "spray"}, value);
}

enum class LossRecovery : std::uint8_t { go_back_n, selective_repeat };
inline std::string_view to_string(LossRecovery value) { return enum_name<2>({"go-back-n", "selective-repeat"}, value); }

// What decides a packet's lane: its service level, or how many trunks it has crossed (which rules out cycles of waiting
// on any graph).
enum class LaneChoice : std::uint8_t { level, hop };
inline std::string_view to_string(LaneChoice value) { return enum_name<2>({"level", "hop"}, value); }

// The published reaction and notification points (Zhu et al., SIGCOMM'15, Fig. 7, section 5): presets differ in these.
struct DcqcnOptions {
    double g = 1.0 / 256;
    double first_alpha = 1;
    Duration alpha_timer = microseconds(55);     // K: alpha decays this often without CNP
    Duration cnp_interval = microseconds(50);    // N: at most one CNP per flow in this time
    Duration cut_interval{};                     // at most one cut in this time; 0: every CNP cuts
    Duration increase_timer = microseconds(55);  // T
    Bytes byte_counter{10'000'000};              // B
    int fast_recovery = 5;                       // F
    double additive = 40e6 / 8;                  // R_AI, bytes per second
    double hyper = 400e6 / 8;                    // R_HAI
    double least_rate = 100e6 / 8;
    bool clamp_target = true;  // the target is pulled down by every cut
};

// Mittal et al., SIGCOMM'15: the gradient of the round trip.
struct TimelyOptions {
    Duration low = microseconds(50), high = microseconds(500);
    Duration least_rtt = microseconds(20);
    double ewma = 0.875, beta = 0.8;
    double additive = 10e6 / 8;  // bytes per second at 10 Gb/s; scaled with the line
    Bytes segment{65536};        // bytes between two samples of the round trip
};

// Li et al., SIGCOMM'19, sections 3.3 and 5.1.
struct HpccOptions {
    double eta = 0.95;    // use of the fullest link that is aimed at
    int stages = 5;       // maxStage: additive steps in a row
    Bytes additive{80};   // W_AI, of a window
    Duration base_rtt{};  // T; 0: of the flow's own path, without queues
};

// Kumar et al., SIGCOMM'20, section 3. The values are chosen near those of htsim's Swift; none is the paper's.
struct SwiftOptions {
    Duration base_target = microseconds(20);
    Duration hop = nanoseconds(3053);  // longer by it for each switch: the target / 6.55
    double additive = 1;               // ai, packets a round trip
    double beta = 0.8, most_cut = 0.5;
    Duration range = microseconds(100);            // fs_range: how much longer the target of a small window is
    double least_scaled = 0.1, most_scaled = 100;  // packets: windows between which that falls to 0
    double least_window = 0.001;                   // packets
};

// UEC 1.0's network-signalled congestion control. Figures: uet-htsim, by the working group that wrote the
// specification.
struct NsccOptions {
    Duration target{};   // delay in queues that is aimed at; 0: the round trip, or three quarters of it with trimming
    double gamma = 0.8;  // share of the delay above the target by which a window is cut
    double most_cut = 0.5;                             // at once
    double proportional = 4, fair = 5, steady = 0.15;  // packets a round trip, on 100 Gb/s and 12 us
    double fast = 0.25;                                // of what has arrived, while no queue stands; on the same
    double smoothing = 0.0125;                         // weight of one packet in the mean delay
    int gate = 3;  // adapts at once if less than a window's 1/2^gate arrived in a round trip
};

// Probability of a mark as a function of the bytes queued at a port.
struct EcnOptions {
    double k_min = 2000, k_max = 8000;  // bytes per Gb/s of the port: 800 and 3200 KB at 400 Gb/s
    double p_max = 0.2;
    // By the scenario or a preset. NSCC's switches otherwise go by the round trip, and mark all at the upper threshold.
    bool thresholds_stated = false, p_max_stated = false;
};

// InfiniBand's congestion control (IBTA Vol. 1 Annex A10): switches mark (FECN), receivers echo (BECN), and a sender's
// index into its table (CCTI) rises with each echo and falls with a timer. Entry i of the table: after each packet,
// nothing is sent for i * `spacing` times the packet's own time on the wire.
struct InfinibandControl {
    int threshold = 15;          // 0: no marks; w: marks above (16 - w)/16 of a lane's buffer
    int marking_rate = 0;        // packets left unmarked between two marked ones
    Bytes packet_size{512};      // smaller ones are not marked
    int increase = 1;            // of the index, for each echo
    int least = 0, limit = 127;  // of the index
    Duration timer = nanoseconds(std::int64_t{150} * 1024);  // 150 units of 1.024 us: the index falls by one
    double spacing = 1;
};

// Gives messages between two nodes of the cluster a service level other than 0.
struct ServiceLevel {
    static constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t from = any, to = any;  // nodes of the cluster
    int level = 0;
};

// Lanes of the links between nodes: InfiniBand's virtual lanes, Ethernet's priorities. Each has its own queue, receive
// buffer and flow control; they share the wire by weighted round robin in two priorities (IBTA Vol. 1 section 7.6.9).
struct LaneOptions {
    int count = 1;
    LaneChoice choice = LaneChoice::level;
    std::vector<int> of_level;         // lane of each service level; empty: the level's number, or the last lane
    std::vector<int> weights;          // of each lane, in units of 64 B; empty: all equal
    std::vector<int> high;             // lanes of high priority
    int high_limit = 255;              // times 4 KiB of high priority, then another lane may send; 255: no limit
    std::vector<ServiceLevel> levels;  // the first that matches a message counts; none: level 0
};

// PCI Express as transactions: writes are posted, reads are requests and completions, each with header and data
// credits (PCI-SIG Base 5.0 sections 2.4 and 2.6).
struct PcieOptions {
    bool transactions = false;
    Bytes max_payload{};            // of a write or completion; 0: the link's
    Bytes max_read_request{512};    // MRRS
    int tags = 256;                 // reads that one device may have outstanding
    Bytes completion_payload{};     // of a completion (read completion boundary), if below max_payload; 0: max_payload
    bool relaxed_ordering = false;  // reads and completions may pass writes
    int posted_headers = 0, request_headers = 0, completion_headers = 0;  // header credits; 0: two round trips' worth
    Bytes posted_data{}, completion_data{};                               // data credits; 0: two round trips' worth
};

class Peers;

// Packets, queues, flow control and congestion control.
struct Packet {
    static MemoryNeed memory(const Fabric& fabric, const Schedule& schedule);
    static constexpr EngineTraits traits{.name = "packet",
                                         .about = "packets, queues, PFC, credits, ECN, losses",
                                         .memory = memory,
                                         .keys = "packet",
                                         .events = true};

    Bytes mtu{4096};         // payload of a packet that crosses the network
    Bytes island_mtu{4096};  // of one that stays inside its node
    bool cut_through = true;
    FlowControl flow_control = FlowControl::automatic;  // of the links between nodes
    FlowControl island_flow_control = FlowControl::credits;
    CongestionControl congestion_control = CongestionControl::automatic;
    std::string preset;  // catalogue part of kind packet-preset; empty: the defaults here
    DcqcnOptions dcqcn;
    TimelyOptions timely;
    HpccOptions hpcc;
    SwiftOptions swift;
    NsccOptions nscc;
    EcnOptions ecn;
    InfinibandControl infiniband;
    LaneOptions lanes;
    PcieOptions pcie;

    Bytes buffer{};               // shared by the ports of a switch; 0: the catalogue's figure, or 64 MB without one
    Bytes nic_buffer{1'048'576};  // receive buffer of a NIC
    Bytes switch_buffer() const { return buffer.count > 0 ? buffer : Bytes{64'000'000}; }
    double alpha = 0.125;         // dynamic threshold: a queue may hold alpha times what is free
    double headroom = 1;          // of each PFC port, as a multiple of the formula
    Bytes xon_offset{8192};       // a queue resumes this far below the threshold
    double reaction_quanta = -1;  // of a paused sender; negative: 802.3's table
    int pause_quanta = 65535;     // of a PFC frame; it is refreshed after half of them
    Bytes credit_buffer{};        // receive buffer per cable and lane with credits; 0: on InfiniBand between nodes
                                  // its most, 128 KiB; elsewhere two round trips and four packets
    Duration credit_delay{};      // receiver's time to return a credit, on top of the link's latency
    Duration pfc_watchdog{};      // a queue paused for this long ignores the pause; 0: never

    PacketRouting routing = PacketRouting::ecmp;
    int paths = 32;  // paths that one flow may be spread over
    int qps = 1;     // queue pairs that a connection rotates over, each with its own path
    Duration flowlet_gap = microseconds(5);
    LossRecovery recovery = LossRecovery::go_back_n;
    bool trim = false;      // a full queue cuts a packet to its header, for which it is sent again: selective repeat
    Duration trim_after{};  // a queue is full if it takes so long; 0: the longest path's round trip
    Duration retransmit_timeout = microseconds(500);
    double loss = 0;  // share of packets that a link between nodes corrupts

    bool reuse = true;                  // simulate once what happens again alone on its links
    int threads = 1;                    // the result does not depend on it
    Peers* peers = nullptr;             // processes that share each replay, on one thread each; nor on them
    bool share_all_windows = false;     // give each to all threads, even if one is faster: for tests
    bool series = false;                // keep queue and pause over time for each port
    std::vector<std::string> sequence;  // from and to: devices whose first connection's packets are kept; takes series
    std::uint64_t seed = 1;
};

// Of trimmed packets the receiver tells one by one.
inline bool repeats_selectively(const Packet& p) { return p.trim || p.recovery == LossRecovery::selective_repeat; }

}  // namespace fabricast::inline packet
