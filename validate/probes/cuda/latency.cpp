#include "cuda/latency.hpp"

#include <algorithm>
#include <functional>

#include "core/exchange.hpp"
#include "core/exit_code.hpp"
#include "core/interrupt.hpp"
#include "core/pattern.hpp"
#include "cuda/kernels.hpp"

namespace probe {
namespace {

constexpr std::size_t cycle_stride = 256 / sizeof(std::uint64_t);  // beyond a sector and a cache line
constexpr int most_queued = 256;  // launches behind a gate: a stream holds about a thousand

// Times from `sample(iterations)`, us of one, as the rule plans them.
LatencyResult sampled(const SamplingRule& rule, const std::function<double(int)>& sample) {
    sample(1);
    const SamplePlan plan = plan_samples(std::max(sample(4), 1e-3), rule);
    LatencyResult result;
    result.iterations = plan.iterations;
    for (int i = 0; i < plan.samples; ++i) {
        stop_if_asked();
        result.times_us.push_back(sample(plan.iterations));
    }
    return result;
}

// us of `iterations` calls as the host sees them, of one.
template <typename Call> double host_time_us(int iterations, const Call& call) {
    const double begin = steady_seconds();
    for (int i = 0; i < iterations; ++i) { call(); }
    return (steady_seconds() - begin) * 1e6 / iterations;
}

class Overheads {
public:
    explicit Overheads(int gpu)
        : stream_(gpu), start_(gpu), stop_(gpu), spare_(gpu), gate_(host, Memory::pinned, sizeof(int)) {}

    double launch_call(int iterations) {
        cudaStream_t stream = stream_.current();
        const double time_us = host_time_us(iterations, [&] { queue_nothing(stream); });
        finish();
        return time_us;
    }

    double launch_wait(int iterations) {
        cudaStream_t stream = stream_.current();
        return host_time_us(iterations, [&] {
            queue_nothing(stream);
            finish();
        });
    }

    double launch_gap(int iterations) {
        return gated(iterations, [&](cudaStream_t stream) { queue_nothing(stream); });
    }

    double event_call(int iterations) {
        cudaStream_t stream = stream_.current();
        const double time_us =
            host_time_us(iterations, [&] { require(cudaEventRecord(spare_.get(), stream), "cudaEventRecord"); });
        finish();
        return time_us;
    }

    double event_pair(int) {
        return gated(1, [](cudaStream_t) {});
    }

private:
    void finish() const { require(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }

    // us on the device of one of `iterations` things that are all queued before the first begins.
    double gated(int iterations, const std::function<void(cudaStream_t)>& queue) {
        auto* gate = reinterpret_cast<volatile int*>(gate_.at(0));
        *gate = 0;
        cudaStream_t stream = stream_.current();
        queue_gate(gate, stream);
        require(cudaEventRecord(start_.get(), stream), "cudaEventRecord");
        for (int i = 0; i < iterations; ++i) { queue(stream); }
        require(cudaEventRecord(stop_.get(), stream), "cudaEventRecord");
        *gate = 1;
        finish();
        require(cudaGetLastError(), "launching nothing");
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "cudaEventElapsedTime");
        return 1e3 * static_cast<double>(milliseconds) / iterations;
    }

    Stream stream_;
    Event start_, stop_, spare_;
    Buffer gate_;
};

}  // namespace

LatencyResult chase_pointers(int reader, int place, std::uint64_t bytes, const SamplingRule& rule, std::uint64_t seed) {
    const std::size_t elements = std::max<std::size_t>(2, bytes / (cycle_stride * sizeof(std::uint64_t)));
    const std::vector<std::uint64_t> cycle = pointer_cycle(elements, cycle_stride, seed);
    const Buffer memory(place, Memory::pinned, cycle.size() * sizeof(std::uint64_t));
    const Buffer end(reader, Memory::device, sizeof(std::uint64_t));
    require(cudaMemcpy(memory.at(0), cycle.data(), cycle.size() * sizeof(std::uint64_t), cudaMemcpyDefault),
            "cudaMemcpy");
    const Stream stream(reader);
    const Event start(reader), stop(reader);
    SamplingRule mine = rule;
    mine.most_iterations = 20'000;
    const auto* first = reinterpret_cast<const std::uint64_t*>(memory.at(0));
    auto* last = reinterpret_cast<std::uint64_t*>(end.at(0));
    return sampled(mine, [&](int steps) {
        require(cudaEventRecord(start.get(), stream.current()), "cudaEventRecord");
        queue_walk(first, static_cast<std::uint64_t>(steps), last, stream.current());
        require(cudaEventRecord(stop.get(), stream.current()), "cudaEventRecord");
        require(cudaEventSynchronize(stop.get()), "following pointers");
        std::uint64_t there = 0;
        require(cudaMemcpy(&there, last, sizeof there, cudaMemcpyDeviceToHost), "cudaMemcpy");
        if (there != walk(cycle, static_cast<std::uint64_t>(steps))) {
            throw WrongData("following pointers ended at the wrong place");
        }
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "cudaEventElapsedTime");
        return 1e3 * static_cast<double>(milliseconds) / steps;
    });
}

LatencyResult copy_and_wait(const Path& path, std::uint64_t bytes, const SamplingRule& rule, std::uint64_t seed) {
    const int gpu = runs_on(path, Method::engine);
    const Buffer from(path.from, Memory::pinned, bytes), to(path.to, Memory::pinned, bytes);
    const Stream stream(gpu);
    std::vector<unsigned char> staged(bytes);
    std::uint64_t batch = seed, checked = 0;
    LatencyResult result = sampled(rule, [&](int iterations) {
        fill_pattern(staged.data(), bytes, ++batch);
        require(cudaMemcpy(from.at(0), staged.data(), bytes, cudaMemcpyDefault), "cudaMemcpy");
        cudaStream_t on = stream.current();
        const double time_us = host_time_us(iterations, [&] {
            require(cudaMemcpyAsync(to.at(0), from.at(0), bytes, cudaMemcpyDefault, on), "cudaMemcpyAsync");
            require(cudaStreamSynchronize(on), "cudaStreamSynchronize");
        });
        require(cudaMemcpy(staged.data(), to.at(0), bytes, cudaMemcpyDefault), "cudaMemcpy");
        if (first_difference(staged.data(), bytes, batch)) { throw WrongData("a small copy brought wrong data"); }
        checked += bytes;
        return time_us;
    });
    result.checked_bytes = checked;
    return result;
}

std::vector<Overhead> measure_overheads(int gpu, const SamplingRule& rule) {
    Overheads on(gpu);
    SamplingRule mine = rule;
    mine.most_iterations = most_queued;
    return {{"launch_call", sampled(mine, [&](int n) { return on.launch_call(n); })},
            {"launch_wait", sampled(mine, [&](int n) { return on.launch_wait(n); })},
            {"launch_gap", sampled(mine, [&](int n) { return on.launch_gap(n); })},
            {"event_call", sampled(mine, [&](int n) { return on.event_call(n); })},
            {"event_pair", sampled(mine, [&](int n) { return on.event_pair(n); })}};
}

}  // namespace probe
