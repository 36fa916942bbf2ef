#include "sim/engines/accounting.hpp"

#include <algorithm>

namespace fabricast {

void finish_accounting(const std::map<LinkClass, ClassUse>& classes, Timeline& timeline) {
    for (const auto& [cls, use] : classes) {
        timeline.classes.push_back(use);
    }
    const std::size_t listed = std::min(busiest_links, timeline.busiest.size());
    std::partial_sort(timeline.busiest.begin(), timeline.busiest.begin() + static_cast<std::ptrdiff_t>(listed),
                      timeline.busiest.end(), [](const LinkUse& a, const LinkUse& b) {
                          return a.utilisation != b.utilisation ? a.utilisation > b.utilisation : a.link < b.link;
                      });
    timeline.busiest.resize(listed);
    timeline.busiest.shrink_to_fit();
}

void account(const Network& network, const Usage& usage, Timeline& timeline) {
    std::vector<double> bytes(network.capacity.size(), 0);
    std::vector<Duration> busy(network.capacity.size());
    for (std::uint32_t row = 0; row < busy.size(); ++row) {
        busy[row] = usage.busy_of_shared_row(row);
    }
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
    std::map<LinkClass, ClassUse> classes;
    for (std::size_t row = 0; row < bytes.size(); ++row) {
        if (bytes[row] == 0) {
            continue;
        }
        for (std::size_t p = network.part_begin(row); p < network.part_end[row]; ++p) {
            const LinkPart& part = network.parts[p];
            ClassUse& use = classes[part.cls];
            use.cls = part.cls;
            use.bytes += bytes[row] * static_cast<double>(part.count);
            use.busy += busy[row] * static_cast<std::int64_t>(part.count);
            timeline.busiest.push_back(
                {part.first, bytes[row], seconds > 0 ? bytes[row] / (part.capacity * seconds) : 0, part.count});
        }
    }
    finish_accounting(classes, timeline);
}

}  // namespace fabricast
