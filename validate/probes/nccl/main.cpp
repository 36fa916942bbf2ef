// probe-nccl: nccl-tests' collectives over the GPUs of one process, or of all that mpirun started.

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "core/command.hpp"
#include "core/ending.hpp"
#include "core/exchange.hpp"
#include "cuda/topology.hpp"
#include "nccl/ranks.hpp"
#include "nccl/wire.hpp"

namespace probe {
namespace {

constexpr const char* purpose =
    "NCCL's collectives at nccl-tests' sizes and bus-bandwidth rule, per algorithm and protocol, results checked: "
    "over\n"
    "this process' GPUs, or under mpirun over one or more GPUs of each process. Writes a measurement file. Exit 0 "
    "whole,\n"
    "1 failed, 2 bad arguments, 4 no GPU.";

std::vector<OptionSpec> table() {
    const std::vector<std::string> algorithms = {"auto",         "Ring", "Tree",     "CollNetDirect",
                                                 "CollNetChain", "NVLS", "NVLSTree", "PAT"};
    const std::string most = "all_reduce,all_gather,reduce_scatter,broadcast,reduce,all_to_all,sendrecv";
    return with_common_options(
        {
            {"--collectives", "LIST", most, "which", collective_words()},
            {"--algorithms", "LIST", "auto", "NCCL_ALGO of each communicator; auto leaves the choice to NCCL",
             algorithms},
            {"--protocols", "LIST", "auto", "NCCL_PROTO, likewise", {"auto", "LL", "LL128", "Simple"}},
            {"--gpus", "COUNT", "0", "of each process; 0: all here, or one under mpirun"},
            {"--as-nodes", "COUNT", "0",
             "copies of NCCL on one GPU, each a node to the others, over a network in memory: what NCCL itself costs"},
            {"--network-memory", "WORD", "gpu", "with --as-nodes: what its adapters reach", {"gpu", "host"}},
            {"--network-rate", "GB/s", "50", "with --as-nodes: of an adapter, at most"},
            {"--nic", "WORDS", "", "what the file says of the network cards, as 'ConnectX-7 400 Gb/s'"},
            {"--nics", "COUNT", "0", "network cards of a node, for the file; 0: not said"},
            {"--network", "WORDS", "", "what the file says of the network, as 'InfiniBand NDR, one switch'"},
        },
        "8:1GiB:2");
}

// A variable of the environment with this value, or as the user has it where that is "auto"; and then puts that back.
class ChosenVariable {
public:
    ChosenVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* had = std::getenv(name)) { had_ = had; }
        if (value == "auto") { return; }
        setenv(name, value.c_str(), 1);
        text_ = std::string(name) + "=" + value;
    }
    ~ChosenVariable() { had_ ? setenv(name_, had_->c_str(), 1) : unsetenv(name_); }
    ChosenVariable(const ChosenVariable&) = delete;
    ChosenVariable& operator=(const ChosenVariable&) = delete;

    const std::string& text() const { return text_; }  // "NCCL_ALGO=Ring"; empty for "auto"

private:
    const char* name_;
    std::optional<std::string> had_;
    std::string text_;
};

// us of one collective, averaged over processes as nccl-tests does by default.
double sample(const World& world, Ranks& ranks, const Call& call, int iterations) {
    if (ranks.are_copies()) { return ranks.time_gated(call, std::min(iterations, 16)); }
    world.barrier();
    const double begin = steady_seconds();
    for (int i = 0; i < iterations; ++i) { ranks.queue(call); }
    ranks.wait();
    return world.average((steady_seconds() - begin) * 1e6 / iterations);
}

std::uint64_t run_checked(Ranks& ranks, const Call& call) {
    ranks.fill(call);
    ranks.queue_first(call);
    ranks.wait();
    return ranks.check(call);
}

Samples time_one(const World& world, Ranks& ranks, const Call& call, const SamplingRule& rule) {
    const std::uint64_t checked_before = run_checked(ranks, call);
    const double estimate_us = world.most(sample(world, ranks, call, 3));
    Samples timed = take_samples(plan_samples(std::max(estimate_us, 0.1), rule), [&](int iterations) {
        if (world.most(interrupt_asked() ? 1 : 0) > 0) {
            throw Stopped();  // every process at the same sample
        }
        return sample(world, ranks, call, iterations);
    });
    timed.checked_bytes = checked_before + run_checked(ranks, call);
    return timed;
}

// The libraries that this process' ranks call, and the GPUs that each has a rank on.
struct Nodes {
    std::vector<NcclLibrary> libraries;
    std::vector<int> gpus;
    std::string network;
};

Nodes copies_on_one_gpu(int count, const Options& options, const World& world) {
    if (world.size > 1) { throw UsageError("--as-nodes: in one process only, not under mpirun"); }
    const bool in_gpu_memory = options.text("--network-memory") == "gpu";
    const int rate = options.number("--network-rate", 1, 1000);
    Nodes nodes{{}, {0}, "none: adapters in one GPU"};
    prepare_for_copies(rate, in_gpu_memory);
    find_gpus();
    for (int node = 0; node < count; ++node) { nodes.libraries.push_back(copy_of_nccl(node, 0)); }
    if (std::getenv("NCCL_NET") == nullptr) {
        nodes.network = "adapters in one GPU, " + std::string(in_gpu_memory ? "gpu" : "host") + " memory, " +
                        std::to_string(rate) + " GB/s; one way by themselves: " +
                        to_text(measure_wire(in_gpu_memory, {8, 4096, 32768, 262144, 524288, 4194304}));
    }
    return nodes;
}

MeasurementFile begin_file(const Options& options, const World& world, const std::vector<GpuInfo>& gpus,
                           const Nodes& nodes) {
    // Copies on one GPU are no cluster: no reader is to take the file for a measurement of one.
    MeasurementFile file =
        begin_measurement(options, "probe-nccl", nodes.libraries.size() > 1 ? "nccl-copies" : "nccl");
    const int ranks = world.size * static_cast<int>(nodes.libraries.size() * nodes.gpus.size());
    const int hosts = world.nodes * static_cast<int>(nodes.libraries.size());
    file.system = describe(gpus, static_cast<std::size_t>(ranks / hosts), static_cast<std::size_t>(hosts));
    const int nics = options.number("--nics", 0, 1024);
    file.system.push_back(words("nic", options.text("--nic")));
    file.system.push_back({"nics_per_node", nics == 0 ? "" : std::to_string(nics), true});
    file.system.push_back(words("network", !nodes.network.empty() ? nodes.network
                                           : world.nodes == 1     ? "single node"
                                                                  : options.text("--network")));
    file.software = cuda_software();
    file.software.push_back(words("nccl", nccl_version()));
    file.software.push_back(words("mpi", World::mpi_version()));
    file.software.push_back(words("env", environment_of("NCCL_")));
    file.benchmark.push_back(count("ranks", static_cast<std::uint64_t>(ranks)));
    file.benchmark.push_back(words("dtype", "float"));
    file.benchmark.push_back(words("redop", "sum"));
    file.label_columns = {"collective", "env"};
    file.extra_columns = {"busbw_GBps", "inplace_time_us"};
    return file;
}

std::vector<int> own_gpus(const Options& options, const World& world, int here) {
    const int asked = options.number("--gpus", 0, 1024);
    const int count = asked != 0 ? asked : world.size > 1 ? 1 : here;
    const int first = world.rank_in_node * count;
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
void measure_collective(const World& world, const Nodes& nodes, const Options& options,
                        const std::vector<std::string>& labels, int round, Recorder& recorder) {
    const Collective collective = collective_of(labels.front());
    const std::vector<std::uint64_t> sizes = options.sizes("--sizes");
    const SamplingRule rule = sampling_rule(options);
    Ranks ranks(world, nodes.libraries, nodes.gpus, sizes.back() + 64);
    for (const std::uint64_t size : sizes) {
        const Counts counts = counts_of(collective, size, sizeof(float), ranks.count());
        if (counts.send == 0 || counts.receive == 0) {
            continue;  // fewer bytes than ranks: nccl-tests prints an empty row
        }
        const Samples out = time_one(world, ranks, {collective, counts, false}, rule);
        Row row = row_of(labels, round, std::max(counts.send, counts.receive) * sizeof(float), out);
        const double algbw = static_cast<double>(row.size_bytes) / row.time_us.median / 1e3;
        row.extra = {figure(bus_factor(collective, ranks.count()) * algbw), ""};
        if (has_in_place(collective)) {
            const Samples in = time_one(world, ranks, {collective, counts, true}, rule);
            row.checked_bytes += in.checked_bytes;
            row.extra.back() = figure(summarize(in.times_us).median);
        }
        if (world.rank == 0) { recorder.add(row); }
    }
}

// A round over every algorithm, protocol and collective. What NCCL refuses becomes a note.
void measure_round(const World& world, const Nodes& nodes, const Options& options, int round, Recorder& recorder,
                   std::string& notes) {
    for (const std::string& algorithm : options.words("--algorithms")) {
        for (const std::string& protocol : options.words("--protocols")) {
            const ChosenVariable first("NCCL_ALGO", algorithm), second("NCCL_PROTO", protocol);
            const bool both = !first.text().empty() && !second.text().empty();
            const std::string environment = first.text() + (both ? " " : "") + second.text();
            for (const std::string& name : options.words("--collectives")) {
                try {
                    measure_collective(world, nodes, options, {name, environment}, round, recorder);
                } catch (const NcclError& error) {
                    notes.append(notes.empty() ? "" : "; ").append(name).append(" ").append(environment);
                    notes.append(" left out: ").append(error.what());
                }
            }
        }
    }
}

int measure(const Options& options, const World& world) {
    const int rounds = rounds_of(options);
    const std::vector<std::uint64_t> sizes = options.sizes("--sizes");
    sampling_rule(options);
    const int copies = options.number("--as-nodes", 0, 64);
    Nodes nodes;
    if (copies > 0) { nodes = copies_on_one_gpu(copies, options, world); }
    const std::vector<GpuInfo> gpus = find_gpus();
    if (copies == 0) { nodes = {{NcclLibrary()}, own_gpus(options, world, static_cast<int>(gpus.size())), ""}; }
    const std::size_t points = options.words("--collectives").size() * sizes.size() *
                               options.words("--algorithms").size() * options.words("--protocols").size() *
                               static_cast<std::size_t>(rounds);
    Recorder recorder(options, begin_file(options, world, gpus, nodes), points);
    return recorder.record([&](MeasurementFile& file) {
        for (int round = 0; round < rounds; ++round) {
            measure_round(world, nodes, options, round, recorder, file.notes);
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
