#include "sim/plan/training/step_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/plan/collectives/plan.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline training {

namespace {

Ends finishes(const std::vector<OpId>& ops) {
    Ends ends;
    for (const OpId op : ops) { ends.push_back({op}); }
    return ends;
}

DeviceId nearest_memory(const Fabric& fabric, DeviceId gpu) {
    const auto memory = memory_beside(fabric, gpu, NumaPlace::near);
    if (!memory) { throw PlanError("no host memory is in the nodes to offload to", "workload.offload"); }
    return *memory;
}

}  // namespace

HostMemory host_memory_of(const Fabric& fabric, DeviceId gpu) {
    HostMemory out{.device = nearest_memory(fabric, gpu)};
    const Path path = fabric.path({.src = gpu, .dst = out.device});
    for (const LinkId link : path.span()) {
        if (fabric.link(link).cls == LinkClass::host_memory) { out.bandwidth = fabric.link(link).capacity; }
    }
    const std::uint32_t first = fabric.node_of(gpu) * fabric.gpus_per_node();
    for (std::uint32_t rank = first; rank < first + fabric.gpus_per_node(); ++rank) {
        out.gpus += nearest_memory(fabric, fabric.gpu(rank)) == out.device ? 1 : 0;
    }
    return out;
}

Ends joined(Ends a, const Ends& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

DeviceId StepBuilder::device(std::uint32_t stage, std::uint32_t lane) const {
    return fabric_.gpu(step_.layout.device_rank(stage, lane == Layout::all ? 0 : lane));
}

// Records that all operations which are not recorded yet are for `what`, with the tag `as`.
void StepBuilder::tag(StepOp what, StepTag as) {
    what.tag = as;
    for (std::size_t op = plan_.ops.size(); op < plan_.schedule.size(); ++op) {
        plan_.ops.push_back(what);
        plan_.schedule.kept.push_back(OpId{static_cast<std::uint32_t>(op)});
    }
}

Ends StepBuilder::add(const GroupCall& call, const Groups& groups, std::span<const DeviceId> devices,
                      const StepOp& what, Ends after, GroupDirection direction) {
    const std::vector<OpId> ends = calls_.add(plan_.schedule, call, groups, devices, after, direction);
    tag(what, static_cast<StepTag>(call.kind));
    return ends.empty() ? after : finishes(ends);
}

Ends StepBuilder::compute(const Work& work, const StepOp& what, std::uint32_t lane, Ends after) {
    for (const Compute& kernel : step_.costs.computes(work, device(what.stage, lane))) {
        after = finishes({plan_.schedule.add(kernel, after)});
        tag(what, what.tag);
    }
    if (what.tag == StepTag::compute) {
        for (std::size_t k = 0; k < work_kinds; ++k) { plan_.kind_s[k] += work.kind_s[k]; }
    }
    return after;
}

Ends StepBuilder::call(const GroupCall& call, const Groups& groups, const StepOp& what, std::uint32_t lane,
                       Ends after) {
    std::vector<DeviceId> devices;
    for (std::uint32_t l = 0; l < lanes_; ++l) {
        if (lane == Layout::all || lane == l) { devices.push_back(device(what.stage, l)); }
    }
    return add(call, groups, devices, what, std::move(after), GroupDirection::both);
}

Ends StepBuilder::phases(const Phases& phases, const StepOp& what, std::uint32_t lane, Ends after) {
    const Layout& layout = step_.layout;
    const std::uint32_t here = lane_of_groups(lane);
    const auto groups = [&](CommKind kind, bool of_expert) {
        return of_expert                   ? layout.groups(layout.x, 1, what.stage, here)
               : kind == CommKind::tensor  ? layout.tensor(what.stage, here)
               : kind == CommKind::context ? layout.context(what.stage, here)
                                           : layout.expert(what.stage);
    };
    for (const Phase& phase : phases) {
        Ends ends = compute(phase.work, what, lane, after);
        std::array<Ends, comm_kinds> chains;
        for (const GroupCall& one : phase.calls) {
            Ends& chain = chains.at(static_cast<std::size_t>(one.kind));
            chain = call(one, groups(one.kind, one.of_expert), what, lane, chain.empty() ? after : chain);
        }
        for (const Ends& chain : chains) { ends = joined(std::move(ends), chain); }
        after = std::move(ends);
    }
    return after;
}

Ends StepBuilder::launch(const StepOp& what, std::uint32_t lane) {
    const Layers layers = step_.layout.layers_of(step_.model, what.stage, what.chunk);
    const Duration duration = from_seconds(step_.launch_seconds(layers, what.forward));
    return delay(0x10000000U + what.stage * lanes_ + lane, duration, StepTag::fixed, what, {});
}

Ends StepBuilder::send(const StepOp& what, std::uint32_t to, std::uint32_t lane, const Ends& after) {
    const Layout& layout = step_.layout;
    const std::uint32_t low = std::min(what.stage, to);
    const std::uint32_t here = lane_of_groups(lane);
    const std::uint32_t pairs = here == Layout::all ? layout.stage_ranks() : layout.t * layout.c;
    const std::uint32_t apart = (std::max(what.stage, to) - low) * layout.stage_ranks();
    const Groups groups{2, apart, layout.device_rank(low, here == Layout::all ? 0 : lane), 2 * pairs};
    const std::array<DeviceId, 2> devices{device(what.stage, lane), device(to, lane)};
    return add(step_.boundary(), groups, devices, what, after,
               what.stage < to ? GroupDirection::onward : GroupDirection::back);
}

Ends StepBuilder::wait(Duration duration, const StepOp& what, Ends after) {
    const std::uint32_t host = 0x20000000U + (duration.ps > 0 ? hosts_++ : 0);
    return delay(host, duration, StepTag::fixed, what, std::move(after));
}

// With delayed scaling TransformerEngine reduces them at the end of each pass of a chunk, forward and backward, and
// computing waits for it (pytorch/fp8.py of 2024, reduce_and_update_fp8_tensors: async_op=False). So each pass is as
// long as that of the slowest replica. Where each is late by an exponential time of mean m, the latest of d is so by
// m (1 + 1/2 + ... + 1/d) (Rényi 1953); one m of this is in any replica's own pass.
Ends StepBuilder::reduce_scales(double layers, double calls, const StepOp& what, std::uint32_t lane, Ends after) {
    const double tensors = step_.costs.framework_or("scales.reduced", 0);
    if (step_.workload.precision != Precision::fp8 || !(tensors > 0)) { return after; }
    double later = 0;
    for (std::uint32_t i = 2; i <= step_.layout.d; ++i) { later += 1.0 / i; }
    after = hold_up(calls * later * step_.costs.framework_or("scales.late", 0), what, std::move(after));
    const Groups ranks = step_.layout.groups(step_.layout.stage_ranks(), 1, what.stage);
    const double bytes = sizeof(float) * tensors * layers / calls;
    return call({CommKind::data, Collective::all_reduce, bytes, calls}, ranks, what, lane, std::move(after));
}

Ends StepBuilder::reduce_scales(const StepOp& what, std::uint32_t lane, Ends after) {
    const Layers layers = step_.layout.layers_of(step_.model, what.stage, what.chunk);
    return reduce_scales(layers.count, 1, what, lane, std::move(after));
}

Ends StepBuilder::hold_up(double seconds, const StepOp& what, Ends after) {
    return delay(0x30000000U + what.stage, from_seconds(seconds), StepTag::data, what, std::move(after));
}

Ends StepBuilder::delay(std::uint32_t host, Duration duration, StepTag kind, const StepOp& what, Ends after) {
    if (duration.ps <= 0) { return after; }
    const OpId op = plan_.schedule.add(Delay{host, duration}, after);
    tag(what, kind);
    return finishes({op});
}

double StepBuilder::most_rate(const Groups& groups) const {
    const double rate = step_.costs.framework_or("gather.rate", 0);
    const double nics = step_.costs.framework_or("gather.nics", 0);
    if (!(nics > 0) || groups.size * groups.stride <= fabric_.gpus_per_node()) { return rate; }
    const double through = nics * fabric_.node().nic_ports * goodput(fabric_.port());
    return rate > 0 ? std::min(rate, through) : through;
}

Ends StepBuilder::call_on(Collective collective, double width, const Held& held, const Groups& groups,
                          const StepOp& what, const Ends& after, double times) {
    const auto send = [&](double parameters, const Groups& ranks, const Ends& before) {
        return call({CommKind::data, collective, width * parameters / times, times, most_rate(ranks)}, ranks, what,
                    Layout::all, before);
    };
    Ends ends = send(held.shared, groups, after);
    return held.experts > 0 ? send(held.experts, step_.layout.expert_data(what.stage), ends) : ends;
}

Ends StepBuilder::broadcast_tensors(const TensorBroadcast& parameters, const StepOp& what, Ends after) {
    const Groups groups = step_.layout.sharded(what.stage);
    const auto send = [&](double of, double times) {
        const GroupCall one{CommKind::data, Collective::broadcast, parameters.bytes * of / times, times};
        after = call(one, groups, what, Layout::all, after);
    };
    const double tensors = step_.costs.framework("broadcast.tensors") * step_.model.layers / step_.layout.p;
    const double owners = std::min<double>(groups.size, tensors);
    if (parameters.layers > 0) { send(parameters.layers, owners * parameters.layers / parameters.all); }
    send(parameters.front, 1);
    send(parameters.back, 1);
    return after;
}

Ends StepBuilder::copy(const StepOp& what, std::uint32_t lane, double bytes, bool to_host, const Ends& after) {
    if (bytes < 1) { return after; }
    const Layout& layout = step_.layout;
    const std::uint32_t gpus = fabric_.gpus_per_node();
    const std::uint32_t rank = layout.device_rank(what.stage, lane == Layout::all ? 0 : lane);
    const std::uint32_t first = std::max(rank / gpus * gpus, layout.device_rank(what.stage));
    const std::uint32_t last = std::min((rank / gpus + 1) * gpus, layout.device_rank(what.stage + 1));
    Schedule& schedule = plan_.schedule;
    Ends ends;
    for (std::uint32_t one = first; one < last; ++one) {
        const DeviceId gpu = fabric_.gpu(one), host = nearest_memory(fabric_, gpu);
        const auto connection = static_cast<std::uint32_t>(schedule.connections.size());
        schedule.connections.push_back({.path = {.src = to_host ? gpu : host, .dst = to_host ? host : gpu}});
        ends.push_back({schedule.add(Transfer{connection, Bytes{std::llround(bytes)}, {}}, after)});
    }
    tag(what, StepTag::fixed);
    return ends;
}

Ends StepBuilder::offload_activations(const StepOp& what, std::uint32_t lane, const Ends& after) {
    const double share = step_.workload.offload.activations;
    if (!(share > 0) || step_.model.convolutional()) { return {}; }
    const Layers layers = step_.layout.layers_of(step_.model, what.stage, what.chunk);
    return copy(what, lane, share * kept_activations(step_, layers), what.forward, after);
}

// CPUs take the step at the share of their memory's bandwidth that DeepSpeed's Adam reaches there, all GPUs' parameters
// that the memory holds one after the other.
Ends StepBuilder::step_on_host(const StepOp& what, std::uint32_t lane, double held, const Ends& after) {
    const HostMemory host = host_memory_of(fabric_, device(what.stage, lane));
    const double seconds = step_.costs.host_optimizer_bytes() * held * host.gpus /
                           (step_.costs.gpu("optimizer.host.memory") * host.bandwidth);
    const Ends there = copy(what, lane, gradient_bytes(step_.workload) * held, true, after);
    return copy(what, lane, element_bytes(step_.workload.precision) * held, false,
                wait(from_seconds(seconds), what, there));
}

Ends StepBuilder::finish(const std::vector<Held>& held_of_stage, const Ends& after) {
    const bool shares = step_.workload.sharding != Sharding::ddp && step_.layout.shard > 1;
    Ends done;
    for (std::uint32_t stage = 0; stage < held_of_stage.size(); ++stage) {
        const Held held = step_.trained(held_of_stage[stage]);
        const StepOp what{StepTag::fixed, false, stage, step_.layout.micro_batches - 1, 0};
        double own = step_.stepped(held);
        // A rank that steps whole tensors has all of the largest.
        if (shares && step_.costs.framework_or("broadcast.tensors", 0) > 0) {
            own = std::max(own, step_.ends(stage, 0).front_parameters);
        }
        const Work work = step_.costs.optimizer(own, held.total());
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            done = joined(std::move(done), step_.workload.offload.optimizer ? step_on_host(what, lane, own, after)
                                                                            : compute(work, what, lane, after));
        }
    }
    const StepOp what{StepTag::fixed, false, 0, step_.layout.micro_batches - 1, 0};
    return wait(from_seconds(step_.costs.framework("step")), what, std::move(done));
}

}  // namespace fabricast::inline training
