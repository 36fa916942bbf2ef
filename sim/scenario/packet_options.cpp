#include "sim/scenario/packet_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline scenario {

namespace {

void take(const Part& part, std::string_view name, double& to) { to = part.number_or(name, to); }
void take(const Part& part, std::string_view name, int& to) { to = static_cast<int>(part.number_or(name, to)); }
void take(const Part& part, std::string_view name, bool& to) { to = part.number_or(name, to ? 1 : 0) != 0; }
void take(const Part& part, std::string_view name, Duration& to) { to = part.has(name) ? part.duration(name) : to; }
void take(const Part& part, std::string_view name, Bytes& to) { to = part.has(name) ? part.bytes(name) : to; }

void lay_over(const Part& part, DcqcnOptions& dcqcn) {
    take(part, "dcqcn.g", dcqcn.g);
    take(part, "dcqcn.first_alpha", dcqcn.first_alpha);
    take(part, "dcqcn.alpha_timer", dcqcn.alpha_timer);
    take(part, "dcqcn.cnp_interval", dcqcn.cnp_interval);
    take(part, "dcqcn.cut_interval", dcqcn.cut_interval);
    take(part, "dcqcn.increase_timer", dcqcn.increase_timer);
    take(part, "dcqcn.byte_counter", dcqcn.byte_counter);
    take(part, "dcqcn.fast_recovery", dcqcn.fast_recovery);
    take(part, "dcqcn.additive", dcqcn.additive);
    take(part, "dcqcn.hyper", dcqcn.hyper);
    take(part, "dcqcn.least_rate", dcqcn.least_rate);
    take(part, "dcqcn.clamp_target", dcqcn.clamp_target);
}

// A preset's figures for a scenario, of which each key that it states wins, also one that states what is usual anyway.
class Preset {
public:
    Preset(const Scenario& scenario, const Part& part) : scenario_(scenario), part_(part) {}

    template <class Options, class Value>
    void lay(std::string_view figure, std::string_view key, Options& options, Value Options::*field) const {
        if (!states(key)) { take(part_, figure, options.*field); }
    }

    void lay_over(InfinibandControl& control) const {
        using I = InfinibandControl;
        lay("cc.threshold", "packet.infiniband.threshold", control, &I::threshold);
        lay("cc.marking_rate", "packet.infiniband.marking_rate", control, &I::marking_rate);
        lay("cc.increase", "packet.infiniband.increase", control, &I::increase);
        lay("cc.least", "packet.infiniband.least", control, &I::least);
        lay("cc.limit", "packet.infiniband.limit", control, &I::limit);
        lay("cc.packet_size", "packet.infiniband.packet_size", control, &I::packet_size);
        lay("cc.timer", "packet.infiniband.timer", control, &I::timer);
        lay("cc.spacing", "packet.infiniband.spacing", control, &I::spacing);
    }

    void lay_over(Packet& packet) const {
        lay("pfc.buffer", "packet.buffer", packet, &Packet::buffer);
        lay("pfc.alpha", "packet.alpha", packet, &Packet::alpha);
        lay("pfc.headroom", "packet.headroom", packet, &Packet::headroom);
        lay("pfc.xon_offset", "packet.xon_offset", packet, &Packet::xon_offset);
        lay("trim", "packet.trim", packet, &Packet::trim);
        const std::string asked = part_.word_or("congestion_control", "");
        if (!states("packet.congestion_control") && !asked.empty()) { packet.congestion_control = control_of(asked); }
    }

    // Kmin and Kmax are stated for a port of `ecn.rate` and kept per Gb/s, for the engine scales them by port; the two
    // belong together.
    void lay_over(EcnOptions& ecn) const {
        lay("ecn.p_max", "packet.ecn.p_max", ecn, &EcnOptions::p_max);
        ecn.p_max_stated |= part_.has("ecn.p_max");
        if (ecn.thresholds_stated || !part_.has("ecn.k_min")) { return; }
        ecn.thresholds_stated = true;
        const double gigabits = part_.has("ecn.rate") ? part_.number("ecn.rate", "B/s") * 8e-9 : 1;
        ecn.k_min = static_cast<double>(part_.bytes("ecn.k_min").count) / gigabits;
        ecn.k_max = static_cast<double>(part_.bytes("ecn.k_max").count) / gigabits;
    }

private:
    bool states(std::string_view key) const { return scenario_.places.contains(key); }
    static CongestionControl control_of(std::string_view asked) {
        const std::vector<std::string> names = names_up_to(CongestionControl::nscc);
        const auto found = std::ranges::find(names, asked);
        if (found == names.end()) { throw CatalogError("'" + std::string(asked) + "' is not a congestion control"); }
        return static_cast<CongestionControl>(found - names.begin());
    }

    const Scenario& scenario_;
    const Part& part_;
};

// Checks what no single key can check: lanes and nodes that do not exist.
void check_lanes(const Scenario& scenario) {
    const LaneOptions& lanes = scenario.packet.lanes;
    const auto refuse = [&](const char* key, std::string_view what, const std::string& found,
                            const std::string& accepted) {
        fail_at(scenario, key, fmt::format("'{}' {}", key, what), found, accepted);
    };
    for (const auto& [key, named] :
         {std::pair{"packet.lanes.of_level", &lanes.of_level}, std::pair{"packet.lanes.high", &lanes.high}}) {
        for (const int lane : *named) {
            if (lane >= lanes.count) {
                refuse(key, "names a lane that is not there", fmt::format("{}", lane),
                       fmt::format("0 to {}", lanes.count - 1));
            }
        }
    }
    if (lanes.weights.size() > static_cast<std::size_t>(lanes.count)) {
        refuse("packet.lanes.weights", "has more weights than there are lanes", fmt::format("{}", lanes.weights.size()),
               fmt::format("up to {}", lanes.count));
    }
    for (const ServiceLevel& rule : lanes.levels) {
        for (const std::uint32_t node : {rule.from, rule.to}) {
            if (node != ServiceLevel::any && node >= scenario.cluster.nodes) {
                refuse("packet.lanes.levels", "names a node that is not there", fmt::format("node{}", node),
                       fmt::format("node0 to node{}", scenario.cluster.nodes - 1));
            }
        }
    }
}

// Checks that both ends of the message to be drawn are there.
void check_sequence(const Scenario& scenario, const Fabric& fabric) {
    const std::vector<std::string>& ends = scenario.packet.sequence;
    if (ends.size() != 2 && !ends.empty()) {
        fail_at(scenario, "packet.sequence", "a message goes from one device to another",
                fmt::format("{} devices", ends.size()), "two, as [node0.gpu0, node1.gpu0]");
    }
    for (const std::string& end : ends) {
        try {
            fabric.device(end);
        } catch (const ClusterError& error) { fail_at(scenario, "packet.sequence", error.what()); }
    }
}

// Trimming takes queues that may be full, and both lanes of each link.
void check_trimming(const Scenario& scenario, const Packet& packet) {
    if (!packet.trim) { return; }
    const FlowControl asked = packet.flow_control;
    if (asked != FlowControl::automatic && asked != FlowControl::lossy) {
        fail_at(scenario, "packet.flow_control", "no queue is full where packets are trimmed",
                std::string(to_string(asked)), "lossy or auto");
    }
    if (packet.recovery == LossRecovery::go_back_n && scenario.places.contains("packet.recovery")) {
        fail_at(scenario, "packet.recovery", "of trimmed packets each is sent again by itself",
                std::string(to_string(packet.recovery)), "selective-repeat, or no `recovery`");
    }
    if (packet.lanes.count > 1) {
        fail_at(scenario, "packet.lanes.count", "trimmed packets' headers take the links' other lane",
                fmt::format("{}", packet.lanes.count), "1");
    }
}

// Checks that a full packet finds room where it may be dropped or must wait for credits: else nothing would ever
// arrive.
void check_room(const Scenario& scenario, const Packet& packet, const Fabric& fabric) {
    const bool network = fabric.cluster().nodes > 1;
    const bool trims = packet.trim && packet.flow_control == FlowControl::automatic;
    const auto asks = [&](FlowControl control) {
        return (network && packet.flow_control == control) || packet.island_flow_control == control;
    };
    const std::int64_t full = std::max(network ? packet.mtu.count : 0, packet.island_mtu.count);
    const auto check = [&](const char* key, std::string_view what, double room, std::int64_t needed) {
        if (room < static_cast<double>(needed)) {
            fail_at(scenario, key, fmt::format("'{}': {} takes no full packet, and nothing would arrive", key, what),
                    fmt::format("{:.0f} bytes", std::floor(room)), fmt::format("at least {}", needed));
        }
    };
    if (asks(FlowControl::lossy) || trims) {
        // A queue may hold alpha times what is free, and no more than there is.
        const double share = std::min(packet.alpha, 1.0);
        const auto written = [&](const char* key) { return scenario.places.contains(key) ? key : "packet.alpha"; };
        check("packet.alpha", "alpha times `buffer`", share * static_cast<double>(packet.switch_buffer().count), full);
        check(written("packet.nic_buffer"), "alpha times `nic_buffer`",
              share * static_cast<double>(packet.nic_buffer.count), full);
    }
    if (packet.credit_buffer.count > 0 && (asks(FlowControl::credits) || asks(FlowControl::automatic))) {
        // What a link adds to a packet: InfiniBand's headers, rounded up to blocks of 64 bytes, or a flit of NVLink to
        // each 256 bytes.
        check("packet.credit_buffer", "it", static_cast<double>(packet.credit_buffer.count), full + full / 16 + 64);
    }
}

// Checks that lower bounds are not above upper bounds, including those that come from a preset.
void check_marks(const Scenario& scenario, const Packet& packet) {
    const auto check = [&](const char* low_key, const char* high_key, double low, double high) {
        if (low > high) {
            const char* const written = scenario.places.contains(low_key) ? low_key : high_key;
            fail_at(scenario, written, "the lower bound is above the upper one",
                    Json(low).dump() + " and " + Json(high).dump(), std::string(low_key) + " up to " + high_key);
        }
    };
    check("packet.ecn.k_min", "packet.ecn.k_max", packet.ecn.k_min, packet.ecn.k_max);
    check("packet.swift.least_scaled", "packet.swift.most_scaled", packet.swift.least_scaled, packet.swift.most_scaled);
    check("packet.infiniband.least", "packet.infiniband.limit", packet.infiniband.least, packet.infiniband.limit);
}

}  // namespace

Scenario with_engine(Scenario scenario, const Fabric& fabric, const Catalog& catalog, std::size_t threads) {
    if (!std::holds_alternative<Packet>(scenario.engine)) { return scenario; }
    check_lanes(scenario);
    check_sequence(scenario, fabric);
    Packet packet = scenario.packet;
    packet.seed = scenario.seed;
    const auto states = [&](std::string_view key) { return scenario.places.contains(key); };
    packet.ecn.thresholds_stated = states("packet.ecn.k_min") || states("packet.ecn.k_max");
    packet.ecn.p_max_stated = states("packet.ecn.p_max");
    const std::vector<Bytes>* const sizes = sizes_of(scenario.workload);
    packet.threads = sizes != nullptr && sizes->size() > 1 ? 1 : static_cast<int>(threads);
    packet.series |= !packet.sequence.empty();
    if (!packet.preset.empty()) {
        look_up_at(scenario, "packet.preset", [&] {
            const Part& part = catalog.at("packet-preset", packet.preset);
            lay_over(part, packet.dcqcn);
            const Preset preset(scenario, part);
            preset.lay_over(packet.infiniband);
            preset.lay_over(packet.ecn);
            preset.lay_over(packet);
        });
    }
    check_marks(scenario, packet);
    check_trimming(scenario, packet);
    if (packet.buffer.count == 0) {
        const Part* const part = catalog.find(fabric.cluster().fabric.switch_part);
        if (part != nullptr && part->has("buffer")) { packet.buffer = part->bytes("buffer"); }
    }
    check_room(scenario, packet, fabric);
    scenario.engine = packet;
    return scenario;
}

}  // namespace fabricast::inline scenario
