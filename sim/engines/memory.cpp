#include "sim/engines/memory.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "base/process_memory.hpp"
#include "sim/engines/common/streams.hpp"
#include "sim/engines/common/watch.hpp"

namespace fabricast {

namespace {

// Measured (GCC 12, glibc 2.36, x86-64): peak memory of a replay minus the process's memory before it, divided by what
// is counted; tests/sim/engines/memory_test.cpp repeats the measurement. Flow: 23.5 to 27.6 B per link, from 1 to 5.5
// million links, in rings, trees and all-to-alls. Packet: 3.4 to 3.9 kB per stream in rings of 3,000 and 12,000
// streams, 1.1 to 1.5 kB in trees and all-to-alls of 12,000 to 49,000. SimGrid: 420 B per message in rings of 23,000 to
// 390,000; a connection took 2 kB in an all-to-all and 9 kB in trees.
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

MemoryNeed memory_need(const Engine& engine, const Fabric& fabric, const Schedule& schedule) {
    return std::visit(Need{fabric, schedule}, engine);
}

void check_memory(const Engine& engine, const Fabric& fabric, const Schedule& schedule, std::optional<double> given) {
    const MemoryNeed need = memory_need(engine, fabric, schedule);
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    constexpr double anywhere = 64 << 20;  // so little that it is not compared with the machine's memory
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
