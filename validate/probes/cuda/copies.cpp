#include "cuda/copies.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "core/ending.hpp"
#include "core/exchange.hpp"
#include "core/pattern.hpp"
#include "cuda/buffers.hpp"
#include "cuda/kernels.hpp"

namespace probe {
namespace {

// All of a sample is queued behind a closed gate; a stream holds about a thousand launches before a call waits.
constexpr int most_queued = 64;
constexpr std::size_t slot_alignment = 256;

// One path's memory, stream and marks.
struct Lane {
    Lane(std::size_t index, const Path& way, Method method, Memory memory, std::size_t bytes)
        : number(index),
          path(way),
          from(way.from, memory, bytes),
          to(way.to, memory, bytes),
          stream(runs_on(way, method)),
          done(event_on(stream.device())),
          wrong(way.to, Memory::pinned, sizeof(unsigned long long)) {}

    std::size_t number;
    Path path;
    Buffer from, to;
    Stream stream;
    Event done;
    Buffer wrong;  // where the receiving end tells the first wrong byte
};

class CopyRun {
public:
    CopyRun(const CopyTest& test, bool gated, std::uint64_t bytes, int slots)
        : test_(test),
          gated_(gated),
          bytes_(bytes),
          stride_((bytes + slot_alignment - 1) / slot_alignment * slot_alignment),
          slots_(slots),
          gate_(host, Memory::pinned, sizeof(int)),
          start_(event_on(runs_on(test.paths.front(), test.method))),
          stop_(event_on(runs_on(test.paths.front(), test.method))) {
        lanes_.reserve(test.paths.size());
        for (const Path& path : test.paths) {
            lanes_.emplace_back(lanes_.size(), path, test.method, test.memory,
                                stride_ * static_cast<std::size_t>(slots));
        }
        int processors = 0;
        require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, lanes_.front().stream.device()),
                "cudaDeviceGetAttribute");
        blocks_ = 2 * processors;
    }

    void fill(std::uint64_t seed) {
        for (const Lane& lane : lanes_) {
            if (lane.path.from != host) { require(cudaSetDevice(lane.path.from), "cudaSetDevice"); }
            for (int slot = 0; slot < slots_; ++slot) {
                unsigned char* data = lane.from.at(offset(slot));
                const std::uint64_t own = seed_of(seed, lane, slot);
                lane.path.from == host ? fill_pattern(data, bytes_, own) : queue_fill(data, bytes_, own, nullptr);
            }
        }
        wait_for_all();
    }

    // The targets hold nothing right before a sample, so that a copy that was not made is seen.
    void scrub() {
        for (const Lane& lane : lanes_) {
            const std::size_t bytes = stride_ * static_cast<std::size_t>(slots_);
            if (lane.path.to == host) {
                std::memset(lane.to.at(0), 0xA5, bytes);
            } else {
                require(cudaSetDevice(lane.path.to), "cudaSetDevice");
                require(cudaMemset(lane.to.at(0), 0xA5, bytes), "cudaMemset");
            }
        }
        wait_for_all();
    }

    // us of one copy on every path. Paths start together behind the gate and the last one's end counts.
    double sample(int iterations) {
        const Stream& first = lanes_.front().stream;
        auto* gate = gate_.as<volatile int>();
        *gate = 0;
        if (gated_) { queue_gate(gate, first.current()); }
        const double begin = steady_seconds();
        require(cudaEventRecord(start_.get(), first.current()), "cudaEventRecord");
        for (std::size_t lane = 1; lane < lanes_.size(); ++lane) {
            require(cudaStreamWaitEvent(lanes_[lane].stream.current(), start_.get(), 0), "cudaStreamWaitEvent");
        }
        for (int i = 0; i < iterations; ++i) {
            for (const Lane& lane : lanes_) { queue(lane, offset(i % slots_)); }
        }
        for (std::size_t lane = 1; lane < lanes_.size(); ++lane) {
            require(cudaEventRecord(lanes_[lane].done.get(), lanes_[lane].stream.current()), "cudaEventRecord");
            require(cudaStreamWaitEvent(first.current(), lanes_[lane].done.get(), 0), "cudaStreamWaitEvent");
        }
        require(cudaEventRecord(stop_.get(), first.current()), "cudaEventRecord");
        *gate = 1;
        require(cudaEventSynchronize(stop_.get()), "a copy failed");
        const double host_us = (steady_seconds() - begin) * 1e6;
        // A pageable copy is partly the host's own work, which no event on the device sees.
        return (test_.memory == Memory::pageable ? host_us : elapsed_us(start_, stop_)) / iterations;
    }

    std::uint64_t check(std::uint64_t seed, int iterations) {
        const int used = std::min(slots_, iterations);
        for (const Lane& lane : lanes_) {
            for (int slot = 0; slot < used; ++slot) {
                if (const auto wrong = difference(lane, offset(slot), seed_of(seed, lane, slot))) {
                    throw WrongData(test_.name + " " + word(test_.method) + " of " + size_text(bytes_) +
                                    ": wrong data at byte " + std::to_string(*wrong));
                }
            }
        }
        return static_cast<std::uint64_t>(used) * bytes_ * lanes_.size();
    }

private:
    std::size_t offset(int slot) const { return static_cast<std::size_t>(slot) * stride_; }
    static std::uint64_t seed_of(std::uint64_t seed, const Lane& lane, int slot) {
        return seed * 1'000'003 + lane.number * 1009 + static_cast<std::uint64_t>(slot);
    }

    std::optional<std::size_t> difference(const Lane& lane, std::size_t at, std::uint64_t seed) const {
        if (lane.path.to == host) { return first_difference(lane.to.at(at), bytes_, seed); }
        require(cudaSetDevice(lane.path.to), "cudaSetDevice");
        return first_wrong(lane.wrong, [&](unsigned long long* wrong) {
            queue_check(lane.to.at(at), bytes_, seed, wrong, nullptr);
            require(cudaGetLastError(), "launching a check");
        });
    }

    void queue(const Lane& lane, std::size_t at) const {
        cudaStream_t stream = lane.stream.current();
        if (test_.method != Method::engine) {
            queue_copy(lane.to.at(at), lane.from.at(at), bytes_, blocks_, stream);
            require(cudaGetLastError(), "launching a copy");
        } else if (lane.path.from != host && lane.path.to != host) {
            require(cudaMemcpyPeerAsync(lane.to.at(at), lane.path.to, lane.from.at(at), lane.path.from, bytes_, stream),
                    "cudaMemcpyPeerAsync");
        } else {
            require(cudaMemcpyAsync(lane.to.at(at), lane.from.at(at), bytes_, cudaMemcpyDefault, stream),
                    "cudaMemcpyAsync");
        }
    }

    void wait_for_all() const {
        for (const Lane& lane : lanes_) {
            for (const int device : {lane.path.from, lane.path.to}) {
                if (device == host) { continue; }
                require(cudaSetDevice(device), "cudaSetDevice");
                require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
            }
        }
    }

    const CopyTest& test_;
    bool gated_;
    std::uint64_t bytes_;
    std::size_t stride_;
    int slots_;
    int blocks_ = 1;
    Buffer gate_;
    Event start_, stop_;
    std::vector<Lane> lanes_;
};

}  // namespace

Samples run_copies(const CopyTest& test, const GpuSet& gpus, std::uint64_t bytes, const SamplingRule& rule,
                   std::uint64_t cache_bytes, std::uint64_t seed) {
    SamplingRule mine = rule;
    const int queued = std::max(1, most_queued / static_cast<int>(std::min<std::size_t>(test.paths.size(), 16)));
    mine.most_iterations = rotation_slots(bytes, cache_bytes, queued);  // a slot a copy, so that each one is checked
    CopyRun run(test, can_be_gated(test, gpus), bytes, mine.most_iterations);
    run.fill(seed);
    run.sample(1);  // wakes links and clocks
    const SamplePlan plan = plan_samples(std::max(run.sample(2), 0.1), mine);
    run.sample(plan.iterations);
    return take_samples(plan, [&](int iterations) {
        stop_if_asked();
        run.scrub();
        const double time_us = run.sample(iterations);
        return Sample(time_us, run.check(seed, iterations));
    });
}

}  // namespace probe
