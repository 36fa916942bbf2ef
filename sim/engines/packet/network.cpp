#include "sim/engines/packet/network.hpp"

// How each port's receiver is kept from overflowing (PFC with headroom, credits with their forms and buffers, or
// nothing), and where packets are marked.

#include <array>
#include <cmath>

#include "models/infiniband.hpp"
#include "models/nvlink.hpp"

namespace fabricast::inline packet {

namespace {

// Into Network::forms.
enum Form : std::uint8_t { bytes, infiniband_blocks, nvlink_flits, pcie_posted, pcie_request, pcie_completion };

std::vector<CreditForm> forms_of(const PcieForm& pcie) {
    const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    const auto whole = static_cast<std::uint32_t>(1U << 31U);
    return {CreditForm{},
            CreditForm{whole, word(infiniband::packet_overhead.count), 64},
            CreditForm{word(nvlink::largest_payload.count), word(nvlink::flit.count), word(nvlink::flit.count)},
            CreditForm{word(pcie.payload), 0, 16, true},
            CreditForm{word(pcie.request), 0, 1, true},
            CreditForm{word(pcie.completion), 0, 16, true}};
}

// Bytes that a PFC port must still take after it decided to pause: the formula of models/ethernet.hpp, with the
// latencies of both directions in place of the cable's length.
std::int64_t pfc_headroom(double bytes_per_ps, Ps both_latencies, Ps reaction, std::int64_t packet) {
    const double in_flight = bytes_per_ps * static_cast<double>(both_latencies + reaction);
    return packet + pfc::frame.count + static_cast<std::int64_t>(std::ceil(in_flight - 1e-6)) + packet;
}

class Policies {
public:
    Policies(Network& net, const Fabric& fabric, const Packet& options, LongestPackets longest)
        : net_(net), fabric_(fabric), options_(options), longest_(longest), pcie_(pcie_form(fabric, options.pcie)) {
        net_.forms = forms_of(pcie_);
        net_.trims = options.trim;
        net_.weak_order = options.pcie.relaxed_ordering;
    }

    void set() {
        for (std::uint32_t p = 0; p < net_.port_count; ++p) {
            set_policy(p);
            net_.capacity_inverse.push_back(static_cast<double>(net_.ports[p].inverse));
            net_.ingress[p].inverse = net_.ports[p].inverse;
        }
    }

private:
    Control control_of(bool network) const {
        FlowControl asked = network ? options_.flow_control : options_.island_flow_control;
        if (asked == FlowControl::automatic && network && options_.trim) { asked = FlowControl::lossy; }
        if (asked == FlowControl::automatic) {
            const bool ethernet = fabric_.cluster().fabric.link.family == LinkFamily::ethernet;
            asked = network && ethernet ? FlowControl::pfc : FlowControl::credits;
        }
        // In the order of FlowControl.
        constexpr std::array of = {Control::credits, Control::pfc, Control::credits, Control::none, Control::lossy};
        return of.at(static_cast<std::size_t>(asked));
    }

    void set_policy(std::uint32_t p) {
        Port& port = net_.ports[p];
        Ingress& in = net_.ingress[p];
        const LinkInfo facts = fabric_.link(net_.links[p]);
        in.cables = std::max(1U, fabric_.ends(net_.links[p]).cables);
        const bool network = between_nodes(facts.cls);
        const double rate = facts.capacity * 1e-12;  // bytes per ps
        port.control = control_of(network);
        const Ps back = in.reverse == none ? port.latency : net_.ports[in.reverse].latency;
        in.return_latency = back;
        const DeviceKind behind = fabric_.kind(net_.nodes[port.to_node].device);
        in.unbounded = behind == DeviceKind::gpu || behind == DeviceKind::host_memory ||
                       (network && options_.trim && net_.counts[p].lane == headers);
        if (port.control == Control::credits) {
            in.return_latency += options_.credit_delay.ps;
            port.form = form_of(p, facts.cls);
            port.headers = net_.forms[port.form].headers;
            give_credits(p, rate);
        }
        if (port.control == Control::pfc) {
            const double cable = rate / in.cables;
            const Rate line = Rate::per_second(std::max<std::int64_t>(1, std::llround(facts.capacity / in.cables)));
            const double quanta = options_.reaction_quanta < 0 ? static_cast<double>(pfc::response_quanta(line))
                                                               : options_.reaction_quanta;
            in.reaction = static_cast<Ps>(std::llround(quanta * pfc::quantum_bits / 8 / cable));
            // No shorter than a full packet that nothing is added to.
            const std::int64_t packet = network ? std::max(options_.mtu.count, longest_.between_nodes)
                                                : std::max(options_.island_mtu.count, longest_.inside);
            const std::int64_t formula = in.cables * pfc_headroom(cable, port.latency + back, in.reaction, packet);
            in.headroom = std::llround(static_cast<double>(formula) * options_.headroom);
        }
        if (port.lanes > 1) { share_wire(p, facts.cls); }
        net_.counts[p].loss = network ? static_cast<float>(options_.loss) : 0;
        set_marks(p, network, facts.capacity);
    }

    Form form_of(std::uint32_t p, LinkClass cls) const {
        if (between_nodes(cls)) {
            return fabric_.cluster().fabric.link.family == LinkFamily::infiniband ? infiniband_blocks : bytes;
        }
        if (cls == LinkClass::nvlink || cls == LinkClass::nvswitch_trunk) { return nvlink_flits; }
        return net_.ports[p].lanes == pcie_lanes && cls == LinkClass::pcie
                   ? static_cast<Form>(pcie_posted + net_.counts[p].lane)
                   : bytes;
    }

    // Of cables that are bundled each has a buffer of its own; two round trips follow the rate, which is all cables'.
    void give_credits(std::uint32_t p, double rate) {
        Port& port = net_.ports[p];
        const std::int64_t cables = net_.ingress[p].cables;
        const std::int64_t largest = std::max(options_.mtu.count, options_.island_mtu.count);
        const auto loop = static_cast<std::int64_t>(
            std::ceil(rate * static_cast<double>(port.latency + net_.ingress[p].return_latency)));
        const std::int64_t enough = 2 * loop + 4 * largest;
        const CreditForm& form = net_.forms[port.form];
        const double held = 1 + static_cast<double>(form.header) / form.payload;
        port.credits =
            options_.credit_buffer.count > 0 ? cables * options_.credit_buffer.count
            : port.form == infiniband_blocks
                ? std::max(cables * infiniband::credit_limit.count, form.cost(static_cast<std::uint32_t>(largest)))
                : static_cast<std::int64_t>(std::ceil(static_cast<double>(enough) * held));
        if (form.headers) { give_transactions(p, enough); }
    }

    // PCIe: header credits in addition to data credits. A request has no data.
    void give_transactions(std::uint32_t p, std::int64_t enough) {
        Port& port = net_.ports[p];
        const PcieOptions& asked = options_.pcie;
        const std::uint8_t lane = net_.counts[p].lane;
        const int headers[] = {asked.posted_headers, asked.request_headers, asked.completion_headers};
        const std::int64_t data[] = {asked.posted_data.count, 0, asked.completion_data.count};
        const std::int64_t smallest = std::min(options_.mtu.count, options_.island_mtu.count);
        const std::int64_t each = std::min(
            smallest, lane == non_posted ? asked.max_read_request.count : std::int64_t{net_.forms[port.form].payload});
        net_.counts[p].headers =
            static_cast<std::int32_t>(headers[lane] > 0 ? headers[lane] : std::max<std::int64_t>(1, enough / each + 4));
        port.credits = lane == non_posted ? std::int64_t{1} << 40 : data[lane] > 0 ? data[lane] : port.credits;
        const double payload[] = {static_cast<double>(pcie_.payload), 0, static_cast<double>(pcie_.completion)};
        const double header[] = {static_cast<double>(pcie_.write_header), 0,
                                 static_cast<double>(pcie_.completion_header)};
        const double share = lane == non_posted ? 1 : payload[lane] / (payload[lane] + header[lane]);
        port.inverse =
            static_cast<std::uint64_t>(std::llround(static_cast<double>(port.inverse) / (pcie_.line * share)));
    }

    void share_wire(std::uint32_t p, LinkClass cls) {
        const std::uint32_t first = net_.first_lane(p);
        if (p != first) {
            net_.counts[p].turns = net_.counts[first].turns;
            return;
        }
        const LaneOptions& lanes = options_.lanes;
        std::vector<std::int32_t> weights(net_.ports[p].lanes, 64);
        std::uint32_t high = 0;
        if (cls == LinkClass::pcie) {
            std::ranges::fill(weights, 4);  // 256 B for each lane in turn
        } else {
            for (std::size_t lane = 0; lane < std::min(weights.size(), lanes.weights.size()); ++lane) {
                weights[lane] = lanes.weights[lane];
            }
            high = options_.trim ? 1U << headers : 0U;
            for (const int lane : lanes.high) { high |= 1U << static_cast<unsigned>(lane); }
        }
        net_.counts[p].turns = static_cast<std::uint32_t>(net_.turns.size());
        net_.turns.emplace_back(std::move(weights), high,
                                cls == LinkClass::pcie ? WeightedRoundRobin::no_limit : lanes.high_limit);
    }

    // ECN in queues of switches and NICs. FECN in queues of switches, with a threshold relative to a lane's buffer.
    void set_marks(std::uint32_t p, bool network, double capacity) {
        Port& port = net_.ports[p];
        PortCounts& counts = net_.counts[p];
        const Node& node = net_.nodes[port.from_node];
        if (network && options_.trim && counts.lane == headers) { return; }
        if (options_.congestion_control == CongestionControl::infiniband) {
            const int weight = options_.infiniband.threshold;
            const std::int64_t buffer = port.control == Control::credits ? port.credits : node.buffer;
            port.marks = network && node.is_switch && weight > 0;
            counts.k_min = static_cast<float>(buffer) * static_cast<float>(16 - weight) / 16;
            return;
        }
        const double gigabits = capacity * 8e-9;
        port.marks = network && node.network;
        counts.k_min = static_cast<float>(options_.ecn.k_min * gigabits);
        counts.k_max = static_cast<float>(options_.ecn.k_max * gigabits);
    }

    Network& net_;
    const Fabric& fabric_;
    const Packet& options_;
    LongestPackets longest_;
    PcieForm pcie_;
};

}  // namespace

void set_policies(Network& net, const Fabric& fabric, const Packet& options, LongestPackets longest) {
    Policies(net, fabric, options, longest).set();
}

}  // namespace fabricast::inline packet
