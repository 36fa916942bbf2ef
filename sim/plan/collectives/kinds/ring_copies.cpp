#include "sim/plan/collectives/kinds/ring_copies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace fabricast::inline collectives {

namespace {

// The part of so many rounds in which all channels copy at the same time. They begin together; later some copy while
// others have the link: rings of 4 H100 take 3.07 ns for each 1,000 bytes of the second round and 2.75 of the last 40
// (cluster01-h100), and what a round loses falls as the root of the rounds before it. The four channels of cards on
// PCIe stay together: two L40S have 19.1 to 19.6 GB/s from 16 MiB to 512 (aic-l40s).
double in_step(const Call& call, double rounds) {
    return rounds <= 1 || !call.found.nvlink ? 1 : (2 * std::sqrt(rounds) - 1) / rounds;
}

// The narrowest link of a ring's way round the node from `gpu` on; of equal ones the first.
std::pair<LinkId, double> narrowest_of(const Call& call, const nccl::Ring& ring, std::uint16_t gpu) {
    const auto first = static_cast<std::size_t>(std::ranges::find(ring.order, gpu) - ring.order.begin());
    const std::size_t gpus = ring.order.size();
    std::pair<LinkId, double> least{{}, std::numeric_limits<double>::infinity()};
    // All ports of an NVSwitch are alike.
    const std::size_t hops = call.fabric.node().nvlink == NvlinkShape::nvswitch ? 1 : gpus;
    for (std::size_t i = 0; i < hops; ++i) {
        const std::uint16_t from = ring.order[(first + i) % gpus], to = ring.order[(first + i + 1) % gpus];
        const Path path = call.fabric.path(local_hop(call, from, to));
        for (const LinkId link : path.span()) {
            const double rate = call.fabric.link(link).capacity;
            if (rate < least.second) { least = {link, rate}; }
        }
    }
    return least;
}

// At which rate the searched rings move data together, in bytes per second: the sum of their narrowest links, which
// they may share.
double rate_of_rings(const Call& call) {
    std::map<LinkId, double> rates;
    for (std::size_t r = 0; r < call.found.rings.size(); ++r) {
        const nccl::Ring& ring = call.found.rings[r];
        if (r > 0 && ring.order == call.found.rings[r - 1].order) { continue; }
        rates.insert(narrowest_of(call, ring, call.found.rings.front().order.front()));
    }
    double sum = 0;
    for (const auto& [link, rate] : rates) { sum += rate; }
    return sum;
}

}  // namespace

void add_copies(const Call& call, int channels, double steps, double rounds, Pipeline& pipeline) {
    if (call.per_node() == 1) { return; }
    const double seconds_a_byte = in_step(call, rounds) / (steps * call.ledger.kernel("copy_rate"));  // of one channel
    pipeline.wire_ratio += seconds_a_byte * rate_of_rings(call) / channels;
    pipeline.edge_rate_cap = 1 / (1 / pipeline.edge_rate_cap + seconds_a_byte);
}

}  // namespace fabricast::inline collectives
