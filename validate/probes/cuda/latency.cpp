#include "cuda/latency.hpp"

#include <algorithm>
#include <functional>

#include "core/ending.hpp"
#include "core/exchange.hpp"
#include "core/pattern.hpp"
#include "cuda/buffers.hpp"
#include "cuda/kernels.hpp"

namespace probe {
namespace {

constexpr std::size_t cycle_stride = 256 / sizeof(std::uint64_t);  // beyond a sector and a cache line
constexpr int most_queued = 256;  // launches behind a gate: a stream holds about a thousand

// Times from `sample(iterations)`, us of one, as the rule plans them.
Samples sampled(const SamplingRule& rule, const std::function<Sample(int)>& sample) {
    sample(1);
    return take_samples(plan_samples(std::max(sample(4).time_us, 1e-3), rule), [&](int iterations) {
        stop_if_asked();
        return sample(iterations);
    });
}

// us of `iterations` calls as the host sees them, of one.
template <typename Call> double host_time_us(int iterations, const Call& call) {
    const double begin = steady_seconds();
    for (int i = 0; i < iterations; ++i) { call(); }
    return (steady_seconds() - begin) * 1e6 / iterations;
}

}  // namespace

Samples chase_pointers(int reader, int place, std::uint64_t bytes, const SamplingRule& rule, std::uint64_t seed) {
    const std::size_t elements = std::max<std::size_t>(2, bytes / (cycle_stride * sizeof(std::uint64_t)));
    const std::vector<std::uint64_t> cycle = pointer_cycle(elements, cycle_stride, seed);
    const Buffer memory(place, Memory::pinned, cycle.size() * sizeof(std::uint64_t));
    const Buffer end(reader, Memory::device, sizeof(std::uint64_t));
    require(cudaMemcpy(memory.at(0), cycle.data(), cycle.size() * sizeof(std::uint64_t), cudaMemcpyDefault),
            "cudaMemcpy");
    const Stream stream(reader);
    const Event start = event_on(reader), stop = event_on(reader);
    SamplingRule mine = rule;
    mine.most_iterations = 20'000;
    auto* last = end.as<std::uint64_t>();
    return sampled(mine, [&](int steps) {
        require(cudaEventRecord(start.get(), stream.current()), "cudaEventRecord");
        queue_walk(memory.as<std::uint64_t>(), static_cast<std::uint64_t>(steps), last, stream.current());
        require(cudaEventRecord(stop.get(), stream.current()), "cudaEventRecord");
        require(cudaEventSynchronize(stop.get()), "following pointers");
        std::uint64_t there = 0;
        require(cudaMemcpy(&there, last, sizeof there, cudaMemcpyDeviceToHost), "cudaMemcpy");
        if (there != walk(cycle, static_cast<std::uint64_t>(steps))) {
            throw WrongData("following pointers ended at the wrong place");
        }
        return elapsed_us(start, stop) / steps;
    });
}

Samples copy_and_wait(const Path& path, std::uint64_t bytes, const SamplingRule& rule, std::uint64_t seed) {
    const int gpu = runs_on(path, Method::engine);
    const Buffer from(path.from, Memory::pinned, bytes), to(path.to, Memory::pinned, bytes);
    const Stream stream(gpu);
    std::vector<unsigned char> staged(bytes);
    std::uint64_t batch = seed;
    return sampled(rule, [&](int iterations) {
        fill_pattern(staged.data(), bytes, ++batch);
        require(cudaMemcpy(from.at(0), staged.data(), bytes, cudaMemcpyDefault), "cudaMemcpy");
        cudaStream_t on = stream.current();
        const double time_us = host_time_us(iterations, [&] {
            require(cudaMemcpyAsync(to.at(0), from.at(0), bytes, cudaMemcpyDefault, on), "cudaMemcpyAsync");
            require(cudaStreamSynchronize(on), "cudaStreamSynchronize");
        });
        require(cudaMemcpy(staged.data(), to.at(0), bytes, cudaMemcpyDefault), "cudaMemcpy");
        if (first_difference(staged.data(), bytes, batch)) { throw WrongData("a small copy brought wrong data"); }
        return Sample(time_us, bytes);
    });
}

std::vector<std::pair<std::string, Samples>> measure_overheads(int gpu, const SamplingRule& rule) {
    const Event start = event_on(gpu), stop = event_on(gpu), spare = event_on(gpu);
    const Buffer gate(host, Memory::pinned, sizeof(int));
    const Stream stream(gpu);
    cudaStream_t on = stream.current();
    const auto launch = [&] { queue_nothing(on); };
    const auto record = [&](const Event& event) { require(cudaEventRecord(event.get(), on), "cudaEventRecord"); };
    const auto finish = [&] { require(cudaStreamSynchronize(on), "cudaStreamSynchronize"); };
    // us of one call that only queues, as the host sees it.
    const auto call_us = [&](int iterations, const auto& call) {
        const double time_us = host_time_us(iterations, call);
        finish();
        return time_us;
    };
    // us on the device of one of `iterations` things that are all queued before the first begins.
    const auto gated_us = [&](int iterations, const auto& queue) {
        auto* open = gate.as<volatile int>();
        *open = 0;
        queue_gate(open, on);
        record(start);
        for (int i = 0; i < iterations; ++i) { queue(); }
        record(stop);
        *open = 1;
        finish();
        require(cudaGetLastError(), "launching nothing");
        return elapsed_us(start, stop) / iterations;
    };
    SamplingRule mine = rule;
    mine.most_iterations = most_queued;
    const auto wait = [&] {
        launch();
        finish();
    };
    return {{"launch_call", sampled(mine, [&](int n) { return call_us(n, launch); })},
            {"launch_wait", sampled(mine, [&](int n) { return host_time_us(n, wait); })},
            {"launch_gap", sampled(mine, [&](int n) { return gated_us(n, launch); })},
            {"event_call", sampled(mine, [&](int n) { return call_us(n, [&] { record(spare); }); })},
            {"event_pair", sampled(mine, [&](int) { return gated_us(1, [] {}); })}};
}

}  // namespace probe
