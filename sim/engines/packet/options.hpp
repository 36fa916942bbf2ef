#pragma once
// What the packet engine may be told. Figures that a preset names are laid over these defaults when the scenario's
// catalogue is known (presets.hpp); a zero means "derived from the link" where the comment says so.

#include <cstdint>
#include <string>
#include <string_view>

#include "models/units.hpp"

namespace fabricast {

// How a link keeps its receiver from overflowing. `automatic`: PFC on Ethernet, credits on InfiniBand, NVLink and PCIe.
enum class FlowControl : std::uint8_t {
    automatic,
    pfc,
    credits,
    lossless,  // buffers without end: no control, no loss
    lossy      // no control: what does not fit is dropped and sent again
};

enum class CongestionControl : std::uint8_t { automatic, none, dcqcn, timely };

// How switches choose among equal paths.
enum class PacketRouting : std::uint8_t { ecmp, flowlet, adaptive, spray };

enum class LossRecovery : std::uint8_t { go_back_n, selective_repeat };

std::string_view word(FlowControl);
std::string_view word(CongestionControl);
std::string_view word(PacketRouting);
std::string_view word(LossRecovery);

// The published reaction and notification points (Zhu et al., SIGCOMM'15, Fig. 7 and section 5): presets differ in
// these figures only.
struct DcqcnOptions {
    double g = 1.0 / 256;
    double first_alpha = 1;
    Duration alpha_timer = microseconds(55);     // K: alpha decays this often without CNP
    Duration cnp_interval = microseconds(50);    // N: at most one CNP a flow in it
    Duration cut_interval{};                     // at most one cut in it; 0: each CNP cuts
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
    Bytes segment{65536};        // a sample of the round trip after so many bytes
};

// Probability of a mark against the bytes queued at a port.
struct EcnOptions {
    double k_min = 2000, k_max = 8000;  // bytes per Gb/s of the port: 800 and 3200 KB at 400 Gb/s
    double p_max = 0.2;
};

// Packets, queues, flow control and congestion control.
struct Packet {
    Bytes mtu{4096};         // payload of a packet that crosses the network
    Bytes island_mtu{4096};  // of one that stays inside its node
    bool cut_through = true;
    FlowControl flow_control = FlowControl::automatic;  // of the links between nodes
    FlowControl island_flow_control = FlowControl::credits;
    CongestionControl congestion_control = CongestionControl::automatic;
    std::string preset;  // catalogue part of kind packet-preset; empty: the defaults here
    DcqcnOptions dcqcn;
    TimelyOptions timely;
    EcnOptions ecn;

    Bytes buffer{};               // shared by the ports of a switch; 0: the catalogue's, else 64 MB
    Bytes nic_buffer{1'048'576};  // receive buffer of a NIC
    double alpha = 0.125;         // dynamic threshold: a queue may hold alpha times what is free
    double headroom = 1;          // of each PFC port, times the formula
    Bytes xon_offset{8192};       // resume so far below the threshold
    double reaction_quanta = -1;  // of a paused sender; negative: 802.3's table
    Bytes credit_buffer{};        // receive buffer of a credit link; 0: two round trips and four packets
    Duration credit_delay{};      // receiver's time to return a credit, beside the link's latency
    Duration pfc_watchdog{};      // a queue paused for so long ignores the pause; 0: never

    PacketRouting routing = PacketRouting::ecmp;
    int paths = 32;  // that one flow may be spread over
    int qps = 1;     // queue pairs a connection rotates over, each with its own path
    Duration flowlet_gap = microseconds(5);
    LossRecovery recovery = LossRecovery::go_back_n;
    Duration retransmit_timeout = microseconds(500);

    int threads = 1;      // the result does not depend on it
    bool series = false;  // keep queue and pause against time for each port
    std::uint64_t seed = 1;
};

}  // namespace fabricast
