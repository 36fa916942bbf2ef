#include "sim/engines/common/accounting.hpp"

#include <algorithm>

namespace fabricast::inline engine_common {

void finish_accounting(const std::map<LinkClass, ClassUse>& classes, Timeline& timeline) {
    for (const auto& [cls, use] : classes) { timeline.classes.push_back({cls, use.bytes, use.busy_s}); }
    constexpr std::size_t most = 16;
    const std::size_t listed = std::min(most, timeline.busiest.size());
    std::ranges::partial_sort(timeline.busiest, timeline.busiest.begin() + static_cast<std::ptrdiff_t>(listed), {},
                              [](const LinkUse& use) { return std::pair(-use.utilisation, use.link); });
    timeline.busiest.resize(listed);
    timeline.busiest.shrink_to_fit();
}

std::map<LinkId, double> most_shares(std::span<const LinkEvent> events) {
    std::map<LinkId, double> shares;
    for (const LinkEvent& event : events) { shares[event.link] = 1; }  // until its first event
    for (const LinkEvent& event : events) {
        if (event.at <= Time{}) { shares[event.link] = 0; }
    }
    for (const LinkEvent& event : events) { shares[event.link] = std::max(shares[event.link], event.share); }
    return shares;
}

double least_seconds(const Schedule& schedule, const Timeline& timeline, const Fabric& fabric) {
    double between = 1;  // most wire bytes per payload byte on links between nodes
    for (const Connection& connection : schedule.connections) { between = std::max(between, connection.wire_ratio); }
    double inside = between;
    for (const Pipeline& pipeline : schedule.pipelines) {
        between = std::max(between, pipeline.network_wire_ratio);
        inside = std::max({inside, pipeline.wire_ratio, pipeline.network_wire_ratio});
    }
    double least = 0;
    for (const LinkUse& use : timeline.busiest) {
        const LinkClass cls = fabric.link(use.link).cls;
        const double ratio = between_nodes(cls) && cls != LinkClass::other ? between : inside;
        least = std::max(least, use.utilisation * to_seconds(timeline.makespan) / ratio);
    }
    // What was sent again might not have been.
    const bool again = timeline.packets && timeline.packets->resent > 0;
    return again ? least * std::max(0.0, 1 - static_cast<double>(timeline.packets->resent) /
                                                 static_cast<double>(timeline.packets->delivered))
                 : least;
}

void account(const Network& network, const Usage& usage, Timeline& timeline) {
    std::vector<double> bytes(network.capacity.size(), 0);
    std::vector<Duration> busy(network.capacity.size());
    for (std::uint32_t row = 0; row < busy.size(); ++row) { busy[row] = usage.busy_of_shared_row(row); }
    for (std::uint32_t c = 0; c < network.classes.size(); ++c) {
        const FlowClass& cls = network.classes[c];
        for (std::uint32_t x = cls.begin; x < cls.end; ++x) {
            bytes[network.crossing_row[x]] += usage.class_bytes[c] * network.crossing_times[x];
        }
        for (std::uint32_t x = cls.begin; x < cls.shared; ++x) {
            busy[network.crossing_row[x]] = usage.busy_of_class(c);
        }
    }
    const double seconds = to_seconds(timeline.makespan);
    const std::map<LinkId, double> shares = most_shares(usage.events);
    std::map<LinkClass, ClassUse> classes;
    std::vector<float> busy_of_part(network.parts.size(), 0);
    for (std::size_t row = 0; row < bytes.size(); ++row) {
        if (bytes[row] == 0) { continue; }
        for (std::size_t p = network.part_begin(row); p < network.part_end[row]; ++p) {
            const LinkPart& part = network.parts[p];
            ClassUse& use = classes[part.cls];
            use.bytes += bytes[row] * static_cast<double>(part.count);
            use.busy_s += to_seconds(busy[row]) * static_cast<double>(part.count);
            const auto changed = shares.find(part.first);
            const double most = part.capacity * seconds * (changed != shares.end() ? changed->second : 1);
            const double utilisation = most > 0 ? bytes[row] / most : 0;
            busy_of_part[p] = static_cast<float>(utilisation);
            timeline.busiest.push_back({part.first, bytes[row], utilisation, part.count});
        }
    }
    timeline.busy.assign(network.part_of_link.size(), 0);
    for (std::size_t link = 0; link < timeline.busy.size(); ++link) {
        const std::uint32_t part = network.part_of_link[link];
        timeline.busy[link] = part == Network::no_row ? 0 : busy_of_part[part];
    }
    finish_accounting(classes, timeline);
}

}  // namespace fabricast::inline engine_common
