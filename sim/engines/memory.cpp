#include "sim/engines/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "sim/engines/streams.hpp"

namespace fabricast {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Bytes that the file grants: none that can be read ("max", or no such file) grants all.
double granted(const std::filesystem::path& file) {
    double bytes = unlimited;
    std::ifstream stream(file);
    return stream >> bytes ? bytes : unlimited;
}

// The limits of a group and of those above it. A container sees its own group as the topmost, whatever it is called.
double least_granted(const std::filesystem::path& hierarchy, std::filesystem::path group, const char* file) {
    double least = granted(hierarchy / file);
    for (; group.has_relative_path(); group = group.parent_path()) {
        least = std::min(least, granted(hierarchy / group.relative_path() / file));
    }
    return least;
}

// Measured (GCC 12, glibc 2.36, x86-64): peak memory of replays less what the process held before, over what is
// counted; tests/sim/engines/memory_test.cpp repeats it. Flow: 23.5 to 27.6 B from 1 to 5.5 million links, of rings,
// trees and all-to-alls. Packet: 3.4 to 3.9 kB in rings of 3,000 and 12,000 streams, 1.1 to 1.5 kB in trees and
// all-to-alls of 12,000 to 49,000. SimGrid: 420 B a message in rings of 23,000 to 390,000; a connection took 2 kB in an
// all-to-all and 9 in trees.
constexpr double bytes_of_link = 26;
constexpr double bytes_of_stream = 2200;
constexpr double bytes_of_message = 420;
constexpr double bytes_of_connection = 4500;

MemoryNeed need_of_links(std::string_view engine, const Fabric& fabric) {
    return {engine, static_cast<double>(fabric.link_count()), "links", bytes_of_link};
}

double streams_of_all(const Schedule& schedule) {
    auto streams = static_cast<double>(schedule.connections.size());
    for (const Pipeline& pipeline : schedule.pipelines) {
        streams += stream_count(schedule, pipeline);
    }
    return streams;
}

struct Need {
    const Fabric& fabric;
    const Schedule& schedule;

    MemoryNeed operator()(const Flow&) const { return need_of_links("flow", fabric); }
    MemoryNeed operator()(const Analytic&) const { return need_of_links("analytic", fabric); }
    MemoryNeed operator()(const Packet&) const {
        return {"packet", streams_of_all(schedule), "streams of packets", bytes_of_stream};
    }
    MemoryNeed operator()(const SimGrid&) const {
        auto messages = static_cast<double>(schedule.size());
        for (const Pipeline& p : schedule.pipelines) {
            messages += stream_count(schedule, p) * std::max(1.0, (p.bytes_per_edge / p.chunk + p.fill) * p.slices);
        }
        return {"simgrid", messages, "messages",
                bytes_of_message + bytes_of_connection * streams_of_all(schedule) / std::max(1.0, messages)};
    }
};

}  // namespace

double cgroup_limit(const std::filesystem::path& root) {
    double least = unlimited;
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {  // "0::/a/b" of version 2, "9:memory:/a/b" of version 1
        const std::size_t names = line.find(':');
        const std::size_t path = line.find(':', names + 1);
        if (names == std::string::npos || path == std::string::npos) {
            continue;
        }
        const std::string controllers = "," + line.substr(names + 1, path - names - 1) + ",";
        if (controllers == ",,") {
            least = std::min(least, least_granted(root / "sys/fs/cgroup", line.substr(path + 1), "memory.max"));
        } else if (controllers.find(",memory,") != std::string::npos) {
            least = std::min(
                least, least_granted(root / "sys/fs/cgroup/memory", line.substr(path + 1), "memory.limit_in_bytes"));
        }
    }
    return least;
}

double memory_here() {
    const double machine =
        static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    rlimit limit{};
    const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return std::min({machine, limited ? static_cast<double>(limit.rlim_cur) : unlimited, cgroup_limit("/")});
}

MemoryNeed memory_need(const Engine& engine, const Fabric& fabric, const Schedule& schedule) {
    return std::visit(Need{fabric, schedule}, engine);
}

void check_memory(const Engine& engine, const Fabric& fabric, const Schedule& schedule, std::optional<double> given) {
    const MemoryNeed need = memory_need(engine, fabric, schedule);
    constexpr double anywhere = 64 << 20;  // little enough not to ask
    const double memory = given ? *given : need.bytes() <= anywhere ? unlimited : memory_here();
    if (need.bytes() <= memory) {
        return;
    }
    constexpr double gibibyte = 1 << 30;
    const bool of_links = std::holds_alternative<Flow>(engine) || std::holds_alternative<Analytic>(engine);
    std::ostringstream text;
    text.precision(3);
    text << "engine " << need.engine << " would hold " << need.count << " " << need.what << ", some "
         << need.bytes() / gibibyte << " GiB (found " << memory / gibibyte << " GiB of memory, enough for "
         << memory / need.bytes_each << "; accepted: ";
    if (of_links) {
        text << "up to " << static_cast<std::uint64_t>(fabric.node_count() * memory / need.bytes()) << " such nodes)";
    } else {
        text << "fewer nodes, or engine flow)";
    }
    throw TooLarge(text.str());
}

}  // namespace fabricast
