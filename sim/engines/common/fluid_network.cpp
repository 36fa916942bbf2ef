#include "sim/engines/common/fluid_network.hpp"

#include <algorithm>

namespace fabricast::inline engine_common {

void divide_rows(Network& network, const std::vector<std::uint32_t>& shared_always) {
    std::vector<std::uint32_t> users(network.capacity.size(), 0);
    for (const FlowClass& cls : network.classes) {
        for (std::uint32_t x = cls.begin; x < cls.end; ++x) { ++users[network.crossing_row[x]]; }
    }
    for (const std::uint32_t row : shared_always) {
        if (row != Network::no_row) { users[row] += 2; }
    }
    for (FlowClass& cls : network.classes) {
        cls.shared = cls.begin;
        for (std::uint32_t x = cls.begin; x < cls.end; ++x) {
            const std::uint32_t row = network.crossing_row[x];
            if (users[row] == 1) {
                cls.own_capacity = std::min(cls.own_capacity, network.capacity[row] / network.crossing_times[x]);
                std::swap(network.crossing_row[x], network.crossing_row[cls.shared]);
                std::swap(network.crossing_times[x], network.crossing_times[cls.shared]);
                ++cls.shared;
            }
        }
    }
}

double rate_alone(const Network& network, std::uint32_t cls, double members) {
    const FlowClass& c = network.classes[cls];
    double rate = c.cap;
    for (std::uint32_t x = c.begin; x < c.end; ++x) {
        rate = std::min(rate, network.capacity[network.crossing_row[x]] / (network.crossing_times[x] * members));
    }
    return rate;
}

PipelineAlone pipeline_alone(const Network& network, const Schedule& schedule, std::uint32_t pipeline) {
    const Pipeline& p = schedule.pipelines[pipeline];
    const PipelineForm form(schedule, p, network.hops_of(pipeline));
    const double tau = form.tau(rate_alone(network, network.class_of_pipeline[pipeline], p.weight));
    return {form.running(tau), form.draining(tau)};
}

std::vector<double> bytes_of_classes(const Network& network, const Schedule& schedule) {
    std::vector<double> bytes(network.classes.size(), 0);
    for (const Transfer& t : schedule.transfers) {
        bytes[network.class_of_connection[t.connection]] += schedule.wire_bytes(t);
    }
    for (std::size_t p = 0; p < schedule.pipelines.size(); ++p) {
        bytes[network.class_of_pipeline[p]] += wire_bytes(schedule.pipelines[p]);
    }
    return bytes;
}

}  // namespace fabricast::inline engine_common
