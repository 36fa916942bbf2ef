// probe-cuda: copies between host and GPUs, within and between GPUs; latencies and overheads.

#include <algorithm>
#include <functional>

#include "core/command.hpp"
#include "cuda/buffers.hpp"
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
    const std::vector<std::string> tests = {"host", "local", "peer", "chase", "small", "overhead"};
    const std::vector<std::string> shapes = {"one", "both", "all"};
    return with_common_options(
        {
            {"--tests", "LIST", "host,local,peer,chase,small,overhead", "which", tests},
            {"--shapes", "LIST", "one,both,all", "paths at once: one way, both ways, all paths", shapes},
            {"--memory", "LIST", "pinned,pageable", "of the host's end", {"pinned", "pageable"}},
            {"--chase-sizes", "FROM:TO[:FACTOR]", "64KiB:256MiB:8", "memory that a pointer chase walks through"},
            {"--small-sizes", "FROM:TO[:FACTOR]", "4:64KiB:4", "copies that are waited for one by one"},
        },
        "4:1GiB:4");
}

bool among(const std::vector<std::string>& words, const char* one) {
    return std::find(words.begin(), words.end(), one) != words.end();
}

CopyChoice choice_of(const Options& options) {
    const auto test = [&](const char* one) { return among(options.words("--tests"), one); };
    const auto shape = [&](const char* one) { return among(options.words("--shapes"), one); };
    const bool pageable = among(options.words("--memory"), "pageable");
    return {test("host"), test("local"), test("peer"), shape("one"), shape("both"), shape("all"), pageable};
}

// What a round runs, as a list of points: each makes a row or says why it has none.
struct Point {
    std::vector<std::string> labels;
    std::uint64_t size = 0;
    std::function<Samples()> measure;
};

std::vector<Point> points_of_round(const Options& options, const GpuSet& gpus, std::uint64_t cache_bytes, int round) {
    const SamplingRule rule = sampling_rule(options);
    const std::vector<std::string> tests = options.words("--tests");
    std::vector<Point> points;
    const auto add = [&](const std::vector<std::string>& labels, const char* sizes, const auto& measure) {
        for (const std::uint64_t size : in_turn(options.sizes(sizes), round)) {
            points.push_back({labels, size, [=] { return measure(size); }});
        }
    };
    for (const CopyTest& test : plan_copies(gpus, choice_of(options))) {
        add({"copy", test.name, word(test.method), word(test.memory)}, "--sizes",
            [=, &gpus](std::uint64_t size) { return run_copies(test, gpus, size, rule, cache_bytes, size + 1); });
    }
    for (int gpu = 0; gpu < gpus.count; ++gpu) {
        for (int place = host; among(tests, "chase") && place < gpus.count; ++place) {
            if (!gpus.reach(gpu, place)) { continue; }
            add({"chase", name_of({place, gpu}), "load", place == host ? "pinned" : "device"}, "--chase-sizes",
                [=](std::uint64_t size) { return chase_pointers(gpu, place, size, rule, size); });
        }
        for (const Path& path : {Path{host, gpu}, Path{gpu, host}}) {
            if (!among(tests, "small")) { continue; }
            add({"copy_and_wait", name_of(path), "engine", "pinned"}, "--small-sizes",
                [=](std::uint64_t size) { return copy_and_wait(path, size, rule, size); });
        }
    }
    return points;
}

void record_overheads(Recorder& recorder, const Options& options, int gpus, int round) {
    for (int gpu = 0; among(options.words("--tests"), "overhead") && gpu < gpus; ++gpu) {
        for (const auto& [name, samples] : measure_overheads(gpu, sampling_rule(options))) {
            recorder.add(row_of({"overhead", "gpu" + std::to_string(gpu), name, "device"}, round, 0, samples));
        }
    }
}

int measure(const Options& options) {
    const int rounds = rounds_of(options);
    for (const char* sizes : {"--sizes", "--chase-sizes", "--small-sizes"}) { options.sizes(sizes); }
    choice_of(options);
    sampling_rule(options);
    const std::vector<GpuInfo> gpus = find_gpus();
    const GpuSet set = connect_gpus(static_cast<int>(gpus.size()));

    MeasurementFile file = begin_measurement(options, "probe-cuda", "p2p");
    file.system = describe(gpus, gpus.size(), 1);
    file.software = cuda_software();
    file.software.push_back(words("env", environment_of("CUDA_")));
    file.benchmark.push_back(words("paths", "every path of a row moves size_bytes; time_us ends with the slowest"));
    file.label_columns = {"test", "path", "method", "memory"};

    std::uint64_t cache_bytes = 0;
    for (const GpuInfo& gpu : gpus) { cache_bytes = std::max(cache_bytes, gpu.cache_bytes); }
    const std::size_t points = points_of_round(options, set, cache_bytes, 0).size();
    Recorder recorder(options, std::move(file), points * static_cast<std::size_t>(rounds));
    return recorder.record([&](MeasurementFile& written) {
        for (int round = 0; round < rounds; ++round) {
            for (const Point& point : points_of_round(options, set, cache_bytes, round)) {
                try {
                    recorder.add(row_of(point.labels, round, point.size, point.measure()));
                } catch (const OutOfMemory& error) {
                    written.notes += (written.notes.empty() ? "" : "; ") + point.labels[1] + " " +
                                     size_text(point.size) + " left out: " + error.what();
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
