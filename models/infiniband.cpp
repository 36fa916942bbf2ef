#include "models/infiniband.hpp"

namespace fabricast::infiniband {

double credit_reach_metres(Rate rate, Bytes mtu, Duration response, double seconds_per_metre) {
    const double bytes_per_second = rate.bytes_per_second();
    const double in_flight = static_cast<double>((credit_limit - mtu).count) - to_seconds(response) * bytes_per_second;
    return in_flight <= 0 ? 0 : in_flight / (2 * seconds_per_metre * bytes_per_second);
}

double sharp_all_reduce_seconds(const SharpTree& tree, Bytes size) {
    const Duration hops = (tree.switch_latency + tree.link_latency) * (std::int64_t{2} * tree.height);
    const Duration fixed = hops + tree.aggregation + tree.nic_latency * 2;
    return to_seconds(fixed) + static_cast<double>(size.count) / (tree.link_bandwidth * tree.efficiency);
}

int tree_height(std::int64_t hosts, int radix) {
    std::int64_t reach = radix;
    int height = 1;
    for (; reach < hosts; ++height) {
        reach = reach / 2 * radix;  // every tier below the root uses half of its ports as uplinks
    }
    return height;
}

}  // namespace fabricast::infiniband
