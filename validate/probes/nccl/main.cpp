// probe-nccl: nccl-tests' collectives over the GPUs of one process, or of all that mpirun started.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "core/command.hpp"
#include "core/exchange.hpp"
#include "core/interrupt.hpp"
#include "core/sweep.hpp"
#include "cuda/topology.hpp"
#include "nccl/ranks.hpp"

namespace probe {
namespace {

constexpr const char* purpose =
    "NCCL's collectives at nccl-tests' sizes and bus-bandwidth rule, per algorithm and protocol, results checked: "
    "over\n"
    "this process' GPUs, or under mpirun over one or more GPUs of each process. Writes a measurement file. Exit 0 "
    "whole,\n"
    "1 failed, 2 bad arguments, 4 no GPU.";

std::vector<OptionSpec> table() {
    std::vector<OptionSpec> options = {
        {"--collectives", "LIST", "all_reduce,all_gather,reduce_scatter,broadcast,reduce,all_to_all,sendrecv", "which",
         collective_words()},
        {"--algorithms",
         "LIST",
         "auto",
         "NCCL_ALGO of each communicator; auto leaves the choice to NCCL",
         {"auto", "Ring", "Tree", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"}},
        {"--protocols", "LIST", "auto", "NCCL_PROTO, likewise", {"auto", "LL", "LL128", "Simple"}},
        {"--gpus", "COUNT", "0", "of each process; 0: all here, or one under mpirun", {}},
        {"--nic", "WORDS", "", "what the file says of the network cards, as 'ConnectX-7 400 Gb/s'", {}},
        {"--nics", "COUNT", "0", "network cards of a node, for the file; 0: not said", {}},
        {"--network", "WORDS", "", "what the file says of the network, as 'InfiniBand NDR, one switch'", {}},
    };
    const std::vector<OptionSpec> common = common_options("8:1GiB:2");
    options.insert(options.end(), common.begin(), common.end());
    return options;
}

// "NCCL_ALGO=Ring NCCL_PROTO=LL", and the environment set so.
std::string choose(const std::string& algorithm, const std::string& protocol) {
    std::string said;
    const auto set = [&](const char* name, const std::string& value) {
        if (value == "auto") {
            return;  // as the user's own environment has it
        }
        setenv(name, value.c_str(), 1);
        said += (said.empty() ? "" : " ") + std::string(name) + "=" + value;
    };
    set("NCCL_ALGO", algorithm);
    set("NCCL_PROTO", protocol);
    return said;
}

// Puts back what the user had.
struct KeptVariable {
    explicit KeptVariable(const char* variable) : name(variable) {
        const char* value = std::getenv(variable);
        had = value != nullptr;
        text = had ? value : "";
    }
    ~KeptVariable() { had ? setenv(name, text.c_str(), 1) : unsetenv(name); }
    KeptVariable(const KeptVariable&) = delete;
    KeptVariable& operator=(const KeptVariable&) = delete;

    const char* name;
    std::string text;
    bool had;
};

// us of one collective, averaged over processes as nccl-tests does by default.
double sample(const World& world, const Ranks& ranks, Collective collective, const Counts& counts, bool in_place,
              int iterations) {
    world.barrier();
    const double begin = steady_seconds();
    for (int i = 0; i < iterations; ++i) { ranks.queue(collective, counts, in_place); }
    ranks.wait();
    return world.average((steady_seconds() - begin) * 1e6 / iterations);
}

struct Timed {
    int iterations = 1;
    std::uint64_t checked_bytes = 0;
    Summary time_us;
};

std::uint64_t run_checked(const Ranks& ranks, Collective collective, const Counts& counts, bool in_place) {
    ranks.fill(collective, counts, in_place);
    ranks.queue(collective, counts, in_place);
    ranks.wait();
    return ranks.check(collective, counts, in_place);
}

Timed time_one(const World& world, const Ranks& ranks, Collective collective, const Counts& counts, bool in_place,
               const SamplingRule& rule) {
    Timed timed;
    timed.checked_bytes = run_checked(ranks, collective, counts, in_place);
    const double estimate_us = world.most(sample(world, ranks, collective, counts, in_place, 3));
    const SamplePlan plan = plan_samples(std::max(estimate_us, 0.1), rule);
    timed.iterations = plan.iterations;
    std::vector<double> times_us;
    for (int i = 0; i < plan.samples; ++i) {
        if (world.most(interrupt_asked() ? 1 : 0) > 0) {
            throw Stopped();  // every process at the same sample
        }
        times_us.push_back(sample(world, ranks, collective, counts, in_place, plan.iterations));
    }
    timed.checked_bytes += run_checked(ranks, collective, counts, in_place);
    timed.time_us = summarize(times_us);
    return timed;
}

Row row_of(Collective collective, const std::string& environment, int round, const Counts& counts, int ranks,
           const Timed& out, const Timed& in) {
    Row row;
    row.labels = {word(collective), environment};
    row.round = round;
    row.size_bytes = std::max(counts.send, counts.receive) * sizeof(float);
    row.iterations = out.iterations;
    row.time_us = out.time_us;
    row.checked_bytes = out.checked_bytes + in.checked_bytes;
    const double algbw = static_cast<double>(row.size_bytes) / out.time_us.median / 1e3;
    row.extra = {figure(bus_factor(collective, ranks) * algbw),
                 in.time_us.samples == 0 ? "" : figure(in.time_us.median)};
    return row;
}

MeasurementFile begin_file(const Options& options, const World& world, const std::vector<GpuInfo>& gpus,
                           int gpus_per_process) {
    MeasurementFile file = begin_measurement(options, "probe-nccl", "nccl");
    const int ranks = world.size() * gpus_per_process;
    file.system = describe(gpus);
    for (Entry& entry : file.system) {
        if (entry.key == "gpus_per_node") {
            entry.text = std::to_string(ranks / world.nodes());
        } else if (entry.key == "nodes") {
            entry.text = std::to_string(world.nodes());
        }
    }
    const long nics = options.number("--nics", 0, 1024);
    file.system.push_back(words("nic", options.text("--nic")));
    file.system.push_back({"nics_per_node", nics == 0 ? "" : std::to_string(nics), true});
    file.system.push_back(words("network", world.nodes() == 1 ? "single node" : options.text("--network")));
    file.software = cuda_software();
    file.software.push_back(words("nccl", nccl_version()));
    file.software.push_back(words("mpi", World::mpi_version()));
    file.software.push_back(words("compiler", compiler_name() + ", nvcc " PROBES_NVCC_VERSION));
    file.software.push_back(words("env", environment_of("NCCL_")));
    file.benchmark.push_back(count("ranks", static_cast<std::uint64_t>(ranks)));
    file.benchmark.push_back(words("dtype", "float"));
    file.benchmark.push_back(words("redop", "sum"));
    file.label_columns = {"collective", "env"};
    file.extra_columns = {"busbw_GBps", "inplace_time_us"};
    return file;
}

std::vector<int> own_gpus(const Options& options, const World& world, int here) {
    const int asked = static_cast<int>(options.number("--gpus", 0, 1024));
    const int count = asked != 0 ? asked : world.size() > 1 ? 1 : here;
    const int first = world.rank_in_node() * count;
    if (first + count > here) {
        throw NotHere("no GPU " + std::to_string(first + count - 1) + " on this machine: it has " +
                      std::to_string(here) + " (accepted: fewer --gpus or fewer processes a node)");
    }
    std::vector<int> gpus(static_cast<std::size_t>(count));
    std::iota(gpus.begin(), gpus.end(), first);
    return gpus;
}

// One collective's rows over a communicator of its own, for what NCCL refuses (an algorithm that has no such
// collective) must not end the others. Throws NcclError.
void measure_collective(const World& world, const std::vector<int>& gpus, const Options& options, Collective collective,
                        const std::function<void(const Counts&, const Timed& out, const Timed& in)>& add) {
    const std::vector<std::uint64_t> sizes = options.sizes("--sizes");
    const SamplingRule rule = sampling_rule(options);
    const Ranks ranks(world, gpus, sizes.back() + 64);
    for (const std::uint64_t size : sizes) {
        const Counts counts = counts_of(collective, size, sizeof(float), ranks.count());
        if (counts.send == 0 || counts.receive == 0) {
            continue;  // fewer bytes than ranks: nccl-tests prints an empty row
        }
        const Timed out = time_one(world, ranks, collective, counts, false, rule);
        add(counts, out, has_in_place(collective) ? time_one(world, ranks, collective, counts, true, rule) : Timed{});
    }
}

// A round over every algorithm, protocol and collective. What NCCL refuses becomes a note.
void measure_round(const World& world, const std::vector<int>& gpus, const Options& options, int round,
                   Recorder& recorder, std::string& notes) {
    const int ranks = world.size() * static_cast<int>(gpus.size());
    for (const std::string& algorithm : options.words("--algorithms")) {
        for (const std::string& protocol : options.words("--protocols")) {
            const KeptVariable kept_algorithm("NCCL_ALGO"), kept_protocol("NCCL_PROTO");
            const std::string environment = choose(algorithm, protocol);
            for (const std::string& name : options.words("--collectives")) {
                const Collective collective = collective_of(name);
                try {
                    measure_collective(
                        world, gpus, options, collective, [&](const Counts& counts, const Timed& out, const Timed& in) {
                            if (world.rank() == 0) {
                                recorder.add(row_of(collective, environment, round, counts, ranks, out, in));
                            }
                        });
                } catch (const NcclError& error) {
                    notes.append(notes.empty() ? "" : "; ").append(name).append(" ").append(environment);
                    notes.append(" left out: ").append(error.what());
                }
            }
        }
    }
}

int measure(const Options& options, const World& world) {
    const int rounds = static_cast<int>(options.number("--rounds", 1, 1000));
    const std::vector<std::uint64_t> sizes = options.sizes("--sizes");
    sampling_rule(options);
    const std::vector<GpuInfo> gpus = find_gpus();
    const std::vector<int> own = own_gpus(options, world, static_cast<int>(gpus.size()));
    const std::size_t points = options.words("--collectives").size() * sizes.size() *
                               options.words("--algorithms").size() * options.words("--protocols").size() *
                               static_cast<std::size_t>(rounds);
    Recorder recorder(options, begin_file(options, world, gpus, static_cast<int>(own.size())), points);
    return recorder.record([&](MeasurementFile& file) {
        for (int round = 0; round < rounds; ++round) {
            measure_round(world, own, options, round, recorder, file.notes);
        }
    });
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
    using namespace probe;
    const World world(&argc, &argv);
    const int code = run_command(argc, argv, "probe-nccl", purpose, table(),
                                 [&](const Options& options) { return measure(options, world); });
    if (code == failed || code == not_here) {
        world.end_all(code);  // the others would wait for this one for ever
    }
    return code;
}
