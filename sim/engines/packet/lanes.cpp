#include "sim/engines/packet/lanes.hpp"

#include <algorithm>

#include "sim/engines/common/watch.hpp"

namespace fabricast::inline packet {

namespace {

// A path is cut at memories and NICs. What goes into a memory is written by a device (posted). But what a GPU gets from
// host memory, it reads (completions), as a NIC reads all that it sends.
struct Leg {
    std::size_t end = 0;  // into the path; the next leg begins here
    DeviceId from{}, to{};
    std::uint8_t cables = 0;
    bool reads = false;
    bool over_pcie = false;  // some of its cables are PCIe
};

std::vector<Leg> legs_of(const Fabric& fabric, std::span<const LinkId> path) {
    std::vector<Leg> legs;
    Leg leg;
    for (const LinkId link : path) {
        ++leg.end;
        const LinkEnds ends = fabric.ends(link);
        if (ends.resource) { continue; }
        if (leg.cables++ == 0) { leg.from = ends.from; }
        leg.over_pcie |= fabric.link(link).cls == LinkClass::pcie;
        const DeviceKind to = fabric.kind(ends.to);
        if (to == DeviceKind::nic || to == DeviceKind::host_memory || to == DeviceKind::gpu) {
            const bool from_host = fabric.kind(leg.from) == DeviceKind::host_memory;
            leg.reads = to == DeviceKind::nic || (to == DeviceKind::gpu && from_host);
            leg.to = ends.to;
            legs.push_back(std::exchange(leg, {leg.end}));
        }
    }
    return legs;
}

std::uint8_t level_lane(const Fabric& fabric, const LaneOptions& lanes, const PathQuery& query) {
    const std::uint32_t from = fabric.node_of(query.src);
    const std::uint32_t to = fabric.node_of(query.dst);
    const auto fits = [&](const ServiceLevel& rule) {
        return (rule.from == ServiceLevel::any || rule.from == from) && (rule.to == ServiceLevel::any || rule.to == to);
    };
    const auto rule = std::ranges::find_if(lanes.levels, fits);
    const int level = rule == lanes.levels.end() ? 0 : rule->level;
    const int lane = static_cast<std::size_t>(level) < lanes.of_level.size()
                         ? lanes.of_level[static_cast<std::size_t>(level)]
                         : level;
    return static_cast<std::uint8_t>(std::min(lane, lanes.count - 1));
}

std::vector<std::uint8_t> pcie_lanes_of(const Fabric& fabric, const Packet& options, std::span<const LinkId> path) {
    std::vector<std::uint8_t> lanes(path.size(), posted);
    if (!options.pcie.transactions) { return lanes; }
    std::size_t i = 0;
    for (const Leg& leg : legs_of(fabric, path)) {
        for (; i < leg.end; ++i) {
            if (leg.reads && fabric.link(path[i]).cls == LinkClass::pcie) { lanes[i] = completion; }
        }
    }
    return lanes;
}

}  // namespace

std::uint8_t lane_count(const Packet& options, LinkClass cls) {
    if (between_nodes(cls) && options.trim) { return trim_lanes; }
    if (between_nodes(cls)) { return static_cast<std::uint8_t>(options.lanes.count); }
    return cls == LinkClass::pcie && options.pcie.transactions ? std::uint8_t{pcie_lanes} : std::uint8_t{1};
}

std::vector<std::uint8_t> lanes_along(const Fabric& fabric, const Packet& options, const PathQuery& query,
                                      std::span<const LinkId> path, bool request) {
    std::vector<std::uint8_t> lanes = pcie_lanes_of(fabric, options, path);
    const int last = options.lanes.count - 1;
    const std::uint8_t by_level = last > 0 ? level_lane(fabric, options.lanes, query) : std::uint8_t{0};
    int trunks = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (request) {
            lanes[i] = lane_count(options, fabric.link(path[i]).cls) > 1 ? std::uint8_t{non_posted} : std::uint8_t{0};
        } else if (last > 0 && between_nodes(fabric.link(path[i]).cls)) {
            lanes[i] = options.lanes.choice == LaneChoice::level
                           ? by_level
                           : static_cast<std::uint8_t>(std::clamp(trunks - 1, 0, last));
            const LinkEnds ends = fabric.ends(path[i]);
            trunks += fabric.kind(ends.to) == DeviceKind::fabric_switch ? 1 : 0;
        }
    }
    return lanes;
}

Read read_of(const Fabric& fabric, std::span<const LinkId> path) {
    const std::vector<Leg> legs = legs_of(fabric, path);
    const bool reads = !legs.empty() && legs.front().reads && legs.front().over_pcie;
    return reads ? Read{legs.front().to, legs.front().from, legs.front().cables} : Read{};
}

PcieForm pcie_form(const Fabric& fabric, const PcieOptions& options) {
    PcieForm form;
    const auto& cables = fabric.node().cables;
    const auto found =
        std::ranges::find_if(cables, [](const NodeCable& cable) { return cable.link.family == LinkFamily::pcie; });
    if (found != cables.end()) {
        const Framing& framing = found->link.framing;
        form.payload = framing.payload.count;
        form.write_header = framing.header.count;
        form.completion_header = std::max<std::int64_t>(0, form.write_header - 4);  // the address is 4 B shorter
        form.request = form.write_header > 0 ? form.write_header : form.request;
        form.line = static_cast<double>(form.payload + form.write_header) / static_cast<double>(form.payload);
    }
    if (options.max_payload.count > 0) { form.payload = options.max_payload.count; }
    form.completion = options.completion_payload.count > 0 ? options.completion_payload.count : form.payload;
    if (form.completion > form.payload) {
        throw TooLarge(
            "'packet.pcie.completion_payload' is above what a packet carries (found {} B; accepted: up to {} B)",
            form.completion, form.payload);
    }
    return form;
}

}  // namespace fabricast::inline packet
