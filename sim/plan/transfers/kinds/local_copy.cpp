// A copy inside one device's memory: each byte is read and written there.

#include "sim/plan/transfers/places.hpp"

namespace fabricast::transports {

PathAttempt local_copy(const PathRequest& r) {
    if (r.from != r.to) {
        return Refusal{"the two devices are not one"};
    }
    DataPath path;
    Leg leg;
    if (is_gpu(r.fabric, r.from)) {
        leg.what = "copy kernel of " + name_of(r, r.from) + " reads and writes its memory";
        leg.memory_traffic = 2 / r.figures.number("local-copy", "memory_share");
    } else if (is_host(r.fabric, r.from)) {
        const DeviceId cpu = *cpu_of(r.fabric, r.from);
        leg.what = "core copies inside " + name_of(r, r.from);
        leg.paths = {query(r.from, cpu), query(cpu, r.from)};
        leg.rate_cap = r.figures.number("local-copy", "core_rate");
        leg.cap = "one core's copy";
        leg.dma = false;
    } else {
        return Refusal{"only GPUs and host memory copy inside themselves"};
    }
    path.legs = {leg};
    return path;
}

}  // namespace fabricast::transports
