// probe-cuda: copies between host and GPUs, within and between GPUs; latencies and overheads.

#include <algorithm>
#include <cstdio>
#include <functional>

#include "core/command.hpp"
#include "core/sweep.hpp"
#include "cuda/copies.hpp"
#include "cuda/latency.hpp"
#include "cuda/topology.hpp"

namespace probe {
namespace {

constexpr const char* purpose =
    "Copies between host and GPUs, within and between GPUs, by copy engine and by kernels; pointer chases, small "
    "copies,\n"
    "launches and events. Writes a measurement file. Exit 0 whole, 1 failed, 2 bad arguments, 4 no GPU.";

std::vector<OptionSpec> table() {
    std::vector<OptionSpec> options = {
        {"--tests",
         "LIST",
         "host,local,peer,chase,small,overhead",
         "which",
         {"host", "local", "peer", "chase", "small", "overhead"}},
        {"--shapes", "LIST", "one,both,all", "paths at once: one way, both ways, all paths", {"one", "both", "all"}},
        {"--memory", "LIST", "pinned,pageable", "of the host's end", {"pinned", "pageable"}},
        {"--chase-sizes", "FROM:TO[:FACTOR]", "64KiB:256MiB:8", "memory that a pointer chase walks through", {}},
        {"--small-sizes", "FROM:TO[:FACTOR]", "4:64KiB:4", "copies that are waited for one by one", {}},
    };
    const std::vector<OptionSpec> common = common_options("4:1GiB:4");
    options.insert(options.end(), common.begin(), common.end());
    return options;
}

bool among(const std::vector<std::string>& words, const char* one) {
    return std::find(words.begin(), words.end(), one) != words.end();
}

CopyChoice choice_of(const Options& options) {
    const std::vector<std::string> tests = options.words("--tests");
    const std::vector<std::string> shapes = options.words("--shapes");
    return {among(tests, "host"),
            among(tests, "local"),
            among(tests, "peer"),
            among(shapes, "one"),
            among(shapes, "both"),
            among(shapes, "all"),
            among(options.words("--memory"), "pageable")};
}

// What is run, as a list of points: each adds its row or says why it has none.
struct Point {
    Row row;  // labels, round and size
    std::function<LatencyResult()> measure;
};

class Plan {
public:
    Plan(const Options& options, const std::vector<GpuInfo>& gpus, const GpuSet& set)
        : options_(options), set_(set), rule_(sampling_rule(options)) {
        for (const GpuInfo& gpu : gpus) { cache_bytes_ = std::max(cache_bytes_, gpu.cache_bytes); }
    }

    std::vector<Point> round(int number) {
        points_.clear();
        round_ = number;
        for (const CopyTest& test : plan_copies(set_, choice_of(options_))) {
            for (const std::uint64_t size : in_turn("--sizes")) {
                add({"copy", test.name, word(test.method), word(test.memory)}, size, [=] {
                    const CopyResult copies = run_copies(test, set_, size, rule_, cache_bytes_, size + 1);
                    return LatencyResult{copies.iterations, copies.times_us, copies.checked_bytes};
                });
            }
        }
        const std::vector<std::string> tests = options_.words("--tests");
        for (int gpu = 0; gpu < set_.count; ++gpu) {
            if (among(tests, "chase")) { add_chases(gpu); }
            if (among(tests, "small")) { add_small_copies(gpu); }
        }
        return points_;
    }

private:
    std::vector<std::uint64_t> in_turn(const char* option) const {
        std::vector<std::uint64_t> sizes = options_.sizes(option);
        if (round_ % 2 == 1) { std::reverse(sizes.begin(), sizes.end()); }
        return sizes;
    }

    void add(std::vector<std::string> labels, std::uint64_t size, std::function<LatencyResult()> measure) {
        Point point;
        point.row.labels = std::move(labels);
        point.row.round = round_;
        point.row.size_bytes = size;
        point.measure = std::move(measure);
        points_.push_back(std::move(point));
    }

    void add_chases(int reader) {
        for (int place = host; place < set_.count; ++place) {
            if (place != host && !set_.reaches[static_cast<std::size_t>(reader)][static_cast<std::size_t>(place)]) {
                continue;
            }
            const std::string name =
                (place == host ? "host" : "gpu" + std::to_string(place)) + "->gpu" + std::to_string(reader);
            for (const std::uint64_t size : in_turn("--chase-sizes")) {
                add({"chase", name, "load", place == host ? "pinned" : "device"}, size,
                    [=] { return chase_pointers(reader, place, size, rule_, size); });
            }
        }
    }

    void add_small_copies(int gpu) {
        for (const Path& path : {Path{host, gpu}, Path{gpu, host}}) {
            const std::string name =
                path.from == host ? "host->gpu" + std::to_string(gpu) : "gpu" + std::to_string(gpu) + "->host";
            for (const std::uint64_t size : in_turn("--small-sizes")) {
                add({"copy_and_wait", name, "engine", "pinned"}, size,
                    [=] { return copy_and_wait(path, size, rule_, size); });
            }
        }
    }

    const Options& options_;
    const GpuSet& set_;
    SamplingRule rule_;
    std::uint64_t cache_bytes_ = 0;
    int round_ = 0;
    std::vector<Point> points_;
};

void record_overheads(Recorder& recorder, const Options& options, int gpus, int round) {
    for (int gpu = 0; among(options.words("--tests"), "overhead") && gpu < gpus; ++gpu) {
        for (const Overhead& one : measure_overheads(gpu, sampling_rule(options))) {
            Row row;
            row.labels = {"overhead", "gpu" + std::to_string(gpu), one.name, "device"};
            row.round = round;
            row.iterations = one.result.iterations;
            row.time_us = summarize(one.result.times_us);
            recorder.add(row);
        }
    }
}

int measure(const Options& options) {
    const int rounds = static_cast<int>(options.number("--rounds", 1, 1000));
    for (const char* sizes : {"--sizes", "--chase-sizes", "--small-sizes"}) { options.sizes(sizes); }
    choice_of(options);
    sampling_rule(options);
    const std::vector<GpuInfo> gpus = find_gpus();
    const GpuSet set = connect_gpus(static_cast<int>(gpus.size()));

    MeasurementFile file = begin_measurement(options, "probe-cuda", "p2p");
    file.system = describe(gpus);
    file.software = cuda_software();
    file.software.push_back(words("compiler", compiler_name() + ", nvcc " PROBES_NVCC_VERSION));
    file.software.push_back(words("env", environment_of("CUDA_")));
    file.benchmark.push_back(words("paths", "every path of a row moves size_bytes; time_us ends with the slowest"));
    file.label_columns = {"test", "path", "method", "memory"};

    Plan plan(options, gpus, set);
    Recorder recorder(options, std::move(file), plan.round(0).size() * static_cast<std::size_t>(rounds));
    return recorder.record([&](MeasurementFile& written) {
        for (int round = 0; round < rounds; ++round) {
            for (Point& point : plan.round(round)) {
                try {
                    const LatencyResult result = point.measure();
                    point.row.iterations = result.iterations;
                    point.row.time_us = summarize(result.times_us);
                    point.row.checked_bytes = result.checked_bytes;
                    recorder.add(point.row);
                } catch (const OutOfMemory& error) {
                    written.notes += (written.notes.empty() ? "" : "; ") + point.row.labels[1] + " " +
                                     size_text(point.row.size_bytes) + " left out: " + error.what();
                }
            }
            record_overheads(recorder, options, set.count, round);
        }
    });
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
    using namespace probe;
    return run_command(argc, argv, "probe-cuda", purpose, table(), measure);
}
