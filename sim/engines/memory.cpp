#include "sim/engines/memory.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/process_memory.hpp"
#include "sim/engines/common/watch.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

void check_memory(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                  std::optional<double> given) {
    const MemoryNeed need = engine.memory(fabric, schedule);
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    constexpr double anywhere = 64 << 20;  // so little that it is not compared with the machine's memory
    const double memory = given ? *given : need.bytes() <= anywhere ? unlimited : memory_here();
    if (need.bytes() <= memory) {
        return;
    }
    constexpr double gibibyte = 1 << 30;
    const auto nodes = static_cast<std::uint64_t>(fabric.node_count() * memory / need.bytes());
    throw TooLarge(fmt::format(
        "engine {} would hold {:.3g} {}, some {:.3g} GiB (found {:.3g} GiB of memory, enough for {:.3g}; accepted: {})",
        engine.name, need.count, need.what, need.bytes() / gibibyte, memory / gibibyte, memory / need.bytes_each,
        need.by_nodes ? fmt::format("up to {} such nodes", nodes) : "fewer nodes, or engine flow"));
}

}  // namespace fabricast
