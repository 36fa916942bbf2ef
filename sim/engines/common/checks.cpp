#include "sim/engines/common/checks.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "sim/engines/common/edge_counts.hpp"

namespace fabricast::inline engine_common {

namespace {

// Schedules of more paths than this are not held against their bytes: it would take longer than the replay.
constexpr std::uint64_t most_paths = 200'000;

[[noreturn]] void wrong(const std::string& what) { throw std::logic_error("this replay is wrong: " + what); }

std::uint64_t path_count(const Schedule& schedule) {
    std::uint64_t paths = schedule.connections.size();
    for (const EdgeSet& set : schedule.edge_sets) { paths += edge_count(set); }
    return paths;
}

using BytesOfClasses = std::map<LinkClass, double>;

// Wire bytes by path, then by the classes of its links.
BytesOfClasses sent_bytes(const Schedule& schedule, const Fabric& fabric) {
    BytesOfClasses sent;
    std::vector<double> by_connection(schedule.connections.size(), 0);
    for (const Transfer& transfer : schedule.transfers) {
        by_connection[transfer.connection] += schedule.wire_bytes(transfer);
    }
    for (std::size_t c = 0; c < by_connection.size(); ++c) {
        const Path path = fabric.path(schedule.connections[c].path);
        for (const LinkId link : path.span()) { sent[fabric.link(link).cls] += by_connection[c]; }
    }
    std::vector<double> inside(schedule.edge_sets.size(), 0), between(schedule.edge_sets.size(), 0);
    for (const Pipeline& pipeline : schedule.pipelines) {
        const double bytes = pipeline.bytes_per_edge * pipeline.weight;
        inside[pipeline.edges] += bytes * pipeline.wire_ratio;
        between[pipeline.edges] += bytes * pipeline.network_wire_ratio;
    }
    for (std::size_t set = 0; set < schedule.edge_sets.size(); ++set) {
        if (inside[set] == 0 && between[set] == 0) { continue; }
        const auto count = [&](std::span<const LinkId> links, double times, bool network) {
            for (const LinkId link : links) {
                sent[fabric.link(link).cls] += times * (network ? between[set] : inside[set]);
            }
        };
        count_each_edge(schedule.edge_sets[set], fabric, count);
    }
    return sent;
}

}  // namespace

bool checking() {
    static const bool asked = [] {
        const char* const text = std::getenv("FABRICAST_CHECK");
        return text != nullptr && std::string_view(text) == "1";
    }();
    return asked;
}

void check_capacity(const Timeline& timeline, const Fabric& fabric) {
    if (!timeline.busiest.empty() && timeline.busiest.front().utilisation > 1 + 1e-6) {
        const LinkUse& use = timeline.busiest.front();
        wrong(fmt::format("link {} carried {:f} times what it can in the time", fabric.link_name(use.link),
                          use.utilisation));
    }
}

void check_schedule(const Schedule& schedule) {
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        for (std::size_t i = 0; i < schedule.dependency_count(OpId{op}); ++i) {
            const std::uint32_t before = index(schedule.dependency(OpId{op}, i).op);
            if (before >= op) { wrong(fmt::format("operation {} waits for operation {}", op, before)); }
        }
    }
}

void check_times(const Schedule& schedule, const Timeline& timeline) {
    std::unordered_map<std::uint32_t, const OpTimes*> kept;
    for (const OpTimes& times : timeline.kept) { kept.emplace(index(times.op), &times); }
    for (const OpTimes& times : timeline.kept) {
        const std::uint32_t op = index(times.op);
        if (times.start < Time{} || times.release < times.start || times.finish < times.release ||
            timeline.makespan < times.finish) {
            wrong(fmt::format("operation {} starts at {} ps, is released at {} and ends at {} of {}", op,
                              times.start.ps, times.release.ps, times.finish.ps, timeline.makespan.ps));
        }
        for (std::size_t i = 0; i < schedule.dependency_count(times.op); ++i) {
            const Schedule::Dependency after = schedule.dependency(times.op, i);
            const auto found = kept.find(index(after.op));
            if (found == kept.end()) { continue; }
            const Time met = after.when == DependsOn::release ? found->second->release : found->second->finish;
            if (times.start < met) {
                wrong(fmt::format("operation {} starts at {} ps, before operation {}, for which it waits until {} ps",
                                  op, times.start.ps, index(after.op), met.ps));
            }
        }
    }
}

void check_bytes(const Schedule& schedule, const Timeline& timeline, const Fabric& fabric) {
    if (path_count(schedule) > most_paths) { return; }
    BytesOfClasses left = sent_bytes(schedule, fabric);
    for (const ClassUse& use : timeline.classes) {
        const double sent = left[use.cls];
        if (std::abs(use.bytes - sent) > 1 + 1e-6 * sent) {
            wrong(fmt::format("links of class {} carried {:.0f} bytes, and {:.0f} were sent over them",
                              to_string(use.cls), use.bytes, sent));
        }
        left.erase(use.cls);
    }
    for (const auto& [cls, sent] : left) {
        if (sent > 1) { wrong(fmt::format("links of class {} did not carry {:.0f} bytes", to_string(cls), sent)); }
    }
}

bool short_enough_to_repeat(const Schedule& schedule, const Timeline& timeline) {
    return path_count(schedule) <= 1000 && schedule.size() <= 1000 &&
           (!timeline.packets || timeline.packets->hops <= 20'000);
}

void check_repeated(const Timeline& timeline, const Timeline& again) {
    const auto same = [](const std::string& what, auto first, auto second) {
        if (first != second) { wrong(fmt::format("{} is {}, and again {}", what, first, second)); }
    };
    same("the makespan", timeline.makespan.ps, again.makespan.ps);
    same("the number of operations kept", timeline.kept.size(), again.kept.size());
    for (std::size_t i = 0; i < timeline.kept.size(); ++i) {
        const OpTimes &first = timeline.kept[i], &second = again.kept[i];
        const std::string op = fmt::format("operation {}'s ", index(first.op));
        same(op + "start", first.start.ps, second.start.ps);
        same(op + "release", first.release.ps, second.release.ps);
        same(op + "end", first.finish.ps, second.finish.ps);
    }
    same("the number of classes of links", timeline.classes.size(), again.classes.size());
    for (std::size_t i = 0; i < timeline.classes.size(); ++i) {
        same("bytes of class " + std::string(to_string(timeline.classes[i].cls)), timeline.classes[i].bytes,
             again.classes[i].bytes);
    }
    if (!timeline.packets) { return; }
    same("the number of hops", timeline.packets->hops, again.packets->hops);
    same("the number of marks", timeline.packets->marks, again.packets->marks);
    same("the number of pauses", timeline.packets->pauses, again.packets->pauses);
    same("the number of drops", timeline.packets->drops, again.packets->drops);
}

}  // namespace fabricast::inline engine_common
