#include "sim/scenario/packet_options.hpp"

#include "sim/trouble.hpp"

namespace fabricast {

namespace {

void lay_over(const Part& part, DcqcnOptions& dcqcn) {
    const auto duration = [&](const char* name, Duration& to) {
        if (part.has(name)) {
            to = part.duration(name);
        }
    };
    dcqcn.g = part.number_or("dcqcn.g", dcqcn.g);
    dcqcn.first_alpha = part.number_or("dcqcn.first_alpha", dcqcn.first_alpha);
    duration("dcqcn.alpha_timer", dcqcn.alpha_timer);
    duration("dcqcn.cnp_interval", dcqcn.cnp_interval);
    duration("dcqcn.cut_interval", dcqcn.cut_interval);
    duration("dcqcn.increase_timer", dcqcn.increase_timer);
    if (part.has("dcqcn.byte_counter")) {
        dcqcn.byte_counter = part.bytes("dcqcn.byte_counter");
    }
    dcqcn.fast_recovery = static_cast<int>(part.number_or("dcqcn.fast_recovery", dcqcn.fast_recovery));
    dcqcn.additive = part.number_or("dcqcn.additive", dcqcn.additive);
    dcqcn.hyper = part.number_or("dcqcn.hyper", dcqcn.hyper);
    dcqcn.least_rate = part.number_or("dcqcn.least_rate", dcqcn.least_rate);
    dcqcn.clamp_target = part.number_or("dcqcn.clamp_target", dcqcn.clamp_target ? 1 : 0) != 0;
}

// Kmin and Kmax are stated for a port of `ecn.rate`; the engine scales them with each port's.
void lay_over(const Part& part, EcnOptions& ecn) {
    const double gigabits = part.has("ecn.rate") ? part.number("ecn.rate", "B/s") * 8e-9 : 1;
    if (part.has("ecn.k_min")) {
        ecn.k_min = static_cast<double>(part.bytes("ecn.k_min").count) / gigabits;
        ecn.k_max = static_cast<double>(part.bytes("ecn.k_max").count) / gigabits;
    }
    ecn.p_max = part.number_or("ecn.p_max", ecn.p_max);
}

}  // namespace

Scenario with_engine(Scenario scenario, const Catalog& catalog, std::size_t threads) {
    if (!std::holds_alternative<Packet>(scenario.engine)) {
        return scenario;
    }
    Packet packet = scenario.packet;
    packet.seed = scenario.seed;
    const std::vector<Bytes>* const sizes = sizes_of(scenario.workload);
    packet.threads = sizes != nullptr && sizes->size() > 1 ? 1 : static_cast<int>(threads);
    if (!packet.preset.empty()) {
        try {
            const Part& part = catalog.at("packet-preset", packet.preset);
            lay_over(part, packet.dcqcn);
            if (packet.ecn.k_min == EcnOptions{}.k_min && packet.ecn.k_max == EcnOptions{}.k_max) {
                lay_over(part, packet.ecn);
            }
            if (part.word_or("congestion_control", "") == "none" &&
                packet.congestion_control == CongestionControl::automatic) {
                packet.congestion_control = CongestionControl::none;
            }
        } catch (const CatalogError& error) {
            fail_at(scenario, "packet.preset", error.what());
        }
    }
    if (packet.buffer.count == 0) {
        const Part* const part = catalog.find(scenario.cluster.switch_part);
        if (part != nullptr && part->has("buffer")) {
            packet.buffer = part->bytes("buffer");
        }
    }
    scenario.engine = packet;
    return scenario;
}

}  // namespace fabricast
