// A copy inside one device's memory: each byte is read and written there.

#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt local_copy(const PathRequest& r) {
    if (r.from != r.to) { return Refusal{"the two devices are not one"}; }
    if (is_gpu(r.fabric, r.from)) {
        return DataPath{.legs = {{.what = "copy kernel of " + name_of(r, r.from) + " reads and writes its memory",
                                  .memory_traffic = 2 / r.figures.number("local-copy", "memory_share")}}};
    }
    if (is_host(r.fabric, r.from)) {
        return DataPath{.legs = {core_copy(r, r.from, "core copies inside " + name_of(r, r.from),
                                           r.figures.number("local-copy", "core_rate"), "one core's copy")}};
    }
    return Refusal{"only GPUs and host memory copy inside themselves"};
}

}  // namespace fabricast::inline transfers::transports
