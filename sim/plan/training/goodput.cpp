#include "sim/plan/training/goodput.hpp"

#include <algorithm>
#include <cmath>

namespace fabricast::inline training {

namespace {

constexpr double day = 86400, month = 30 * day, year = 365.25 * day;

// Failures a second of the whole cluster.
struct Rate80 {
    double value = 0, low80 = 0, high80 = 0;
};

double cables_of(const Fabric& fabric) {
    if (fabric.node_count() == 1) { return 0; }
    const auto ports = static_cast<double>(std::max(1, fabric.node().nic_ports));
    double cables = ports * fabric.nics_per_node() * fabric.node_count();
    for (const FabricTier& tier : fabric.tiers()) { cables += static_cast<double>(tier.cables); }
    return cables;
}

// A site that is worse than the others is so in all its parts: the ends of the intervals add up.
Rate80 rate_of(const Fabric& fabric, const Part& part) {
    const double nodes = fabric.node_count();
    Rate80 all;
    for (const auto& [figure, count] :
         {std::pair{"gpu", 1.0 * fabric.gpu_count()}, std::pair{"nic", nodes * fabric.nics_per_node()},
          std::pair{"cable", cables_of(fabric)}, std::pair{"host", fabric.gpu_count() / 8.0}}) {
        const Figure& each = part.figure(figure);
        all.value += count * each.value.front() / year;
        all.low80 += count * each.low80 / year;
        all.high80 += count * each.high80 / year;
    }
    return all;
}

}  // namespace

double best_interval(double checkpoint, double between) {
    const double half = checkpoint / (2 * between);
    return half < 1 ? std::sqrt(2 * checkpoint * between) * (1 + std::sqrt(half) / 3 + half / 9) - checkpoint : between;
}

double useful_share(double every, double checkpoint, double restart, double between) {
    return every / (between * std::exp(restart / between) * std::expm1((every + checkpoint) / between));
}

Goodput goodput_of(const GoodputSpec& spec, const Fabric& fabric, const Catalog& catalog) {
    const Part& part = catalog.at("failures", "training-failures");
    const Figure& usual = part.figure("restart");
    const double checkpoint = to_seconds(spec.checkpoint), stated = to_seconds(spec.restart);
    const double restart = stated > 0 ? stated : usual.value.front();
    const Rate80 rate = rate_of(fabric, part);
    const double between = 1 / rate.value;
    Goodput out;
    out.every_s = spec.every.ps > 0 ? to_seconds(spec.every) : best_interval(checkpoint, between);
    out.share = useful_share(out.every_s, checkpoint, restart, between);
    out.failures = rate.value * month;
    // The spread of the rates, and that of a month's count (Poisson), both in the logarithm and independent.
    const double counted = 1.2816 / std::sqrt(std::max(out.failures, 1.0));
    const double more = std::exp(std::hypot(std::log(rate.high80 / rate.value), counted));
    const double fewer = std::exp(-std::hypot(std::log(rate.low80 / rate.value), counted));
    out.low80 = useful_share(out.every_s, checkpoint, stated > 0 ? stated : usual.high80, between / more);
    out.high80 = useful_share(out.every_s, checkpoint, stated > 0 ? stated : usual.low80, between / fewer);
    out.checkpoints = out.share * checkpoint / out.every_s;
    out.restarts = std::min(1 - out.share - out.checkpoints, restart / between);
    out.lost = 1 - out.share - out.checkpoints - out.restarts;
    return out;
}

}  // namespace fabricast::inline training
