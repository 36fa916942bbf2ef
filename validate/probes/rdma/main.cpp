// probe-rdma: reliable connections over verbs: send, write (put) and read (get), and what registration costs.

#include <cstdio>
#include <sstream>

#include "core/companion.hpp"
#include "core/gpu_memory.hpp"
#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "core/series.hpp"
#include "rdma/rdma_link.hpp"

namespace probe {
namespace {

constexpr const char* purpose =
    "Latency and rate of RDMA send, write (put) and read (get) over reliable connections, and the cost of registering\n"
    "memory: to a process beside it over its own HCA, or to a host where `probe-rdma --listen` waits. Connections are\n"
    "made by rdma-cm. Writes a measurement file. Exit 0 whole, 1 failed, 2 bad arguments, 4 no HCA or GPU.";

constexpr std::uint64_t largest_message = std::uint64_t{1} << 30U;  // HCAs take 1 GiB or 2 GiB

std::vector<OptionSpec> table() {
    return pair_options(
        "process",
        {{"--rdma-address",
          "ADDRESS",
          "",
          "own address on the RDMA network, when --peer's or --listen's is another",
          {}},
         {"--queue-pairs", "LIST", "1", "connections that share the messages, as 1,4", {}},
         {"--registration", "FROM:TO[:FACTOR]", "4KiB:256MiB:4", "sizes of memory registered and deregistered", {}}});
}

std::vector<int> queue_pairs_of(const Options& options) {
    std::vector<int> counts;
    for (const std::string& word : options.words("--queue-pairs")) {
        const int count = std::atoi(word.c_str());
        if (count < 1 || count > 1024 || std::to_string(count) != word) {
            throw UsageError("--queue-pairs: '" + word + "' (accepted: whole numbers from 1 to 1024)");
        }
        counts.push_back(count);
    }
    return counts;
}

RdmaSettings settings_of(const Options& options, int queue_pairs) {
    RdmaSettings s;
    s.queue_pairs = queue_pairs;
    s.gpu = options.text("--memory") == "gpu";
    s.gpu_index = static_cast<int>(options.number("--gpu", 0, 1023));
    s.bytes = arena_bytes_for(options);
    s.depth = static_cast<int>(options.number("--window", 1, 4096));
    s.rdma_address = options.text("--rdma-address");
    const std::string& peer = options.text("--peer");
    s.host = peer == "process" || peer == "thread" ? s.rdma_address : peer;
    return s;
}

// "open PAIRS GPU INDEX BYTES DEPTH"
std::string to_order(const RdmaSettings& s) {
    return "open " + std::to_string(s.queue_pairs) + " " + (s.gpu ? "1" : "0") + " " + std::to_string(s.gpu_index) +
           " " + std::to_string(s.bytes) + " " + std::to_string(s.depth);
}

RdmaSettings parse_order(const std::string& order, const std::string& own_address) {
    std::istringstream in(order);
    std::string open;
    RdmaSettings s;
    in >> open >> s.queue_pairs >> s.gpu >> s.gpu_index >> s.bytes >> s.depth;
    if (!in || open != "open" || s.bytes == 0 || s.bytes > (std::size_t{1} << 36U) || s.depth < 1 || s.depth > 65536 ||
        s.queue_pairs < 1 || s.queue_pairs > 1024) {
        throw PeerLost("the peer orders what is no connection: " + order.substr(0, 80));
    }
    s.rdma_address = own_address;
    return s;
}

// Until the leader says "bye" or leaves.
void serve(Control& control, const std::string& own_address) {
    const std::unique_ptr<Verbs> verbs = open_verbs();
    for (std::string order = control.receive(); order != "bye"; order = control.receive()) {
        const std::unique_ptr<RdmaLink> link = connect_rdma(control, *verbs, parse_order(order, own_address), false);
        serve_batches(control, *link, steady_seconds);
        control.barrier();  // neither end takes its memory away before the other is done
    }
}

MeasurementFile begin_file(const Options& options) {
    MeasurementFile file = begin_measurement(options, "probe-rdma", "rdma");
    const std::string& peer = options.text("--peer");
    const bool gpu = options.text("--memory") == "gpu";
    const GpuName device = gpu ? gpu_name(static_cast<int>(options.number("--gpu", 0, 1023))) : GpuName{};
    file.system = {words("gpu", device.name), count("nodes", peer == "thread" || peer == "process" ? 1 : 2),
                   words("cpu", cpu_name()), count("numa_nodes", numa_nodes())};
    file.software = {words("driver", device.driver), words("kernel", kernel_name()),
                     words("rdma_core", PROBES_IBVERBS_VERSION), words("compiler", compiler_name())};
    file.label_columns = {"memory", "queue_pairs", "operation", "measure", "direction"};
    return file;
}

void tell_hca(MeasurementFile& file, const HcaFacts& hca) {
    file.system.push_back(words("nic", hca.name + ", " + hca.part + ", firmware " + hca.firmware));
    file.system.push_back(words("network", hca.layer + " " + hca.rate));
    file.system.push_back(count("mtu_bytes", static_cast<std::uint64_t>(hca.mtu_bytes)));
    file.system.push_back(words("nic_pci", hca.pci));
    file.system.push_back({"nic_numa_node", std::to_string(hca.numa_node), true});
}

// Rows "register" and "deregister" by size; the cost of a page is their slope.
void measure_registration(Verbs& verbs, Recorder& recorder, const Options& options, int round) {
    const std::vector<std::uint64_t> sizes = options.sizes("--registration");
    const std::unique_ptr<Arena> arena = host_arena(sizes.back());
    const int samples = sampling_rule(options).samples;
    for (const std::uint64_t size : sizes) {
        std::vector<double> in_us, out_us;
        for (int i = 0; i <= samples; ++i) {
            stop_if_asked();
            const RegistrationTime one = time_registration(verbs, *arena, size, steady_seconds);
            if (i > 0) {  // the first pins pages that were never pinned
                in_us.push_back(one.register_s * 1e6);
                out_us.push_back(one.deregister_s * 1e6);
            }
        }
        for (const auto& [operation, times] : {std::pair("register", in_us), std::pair("deregister", out_us)}) {
            Row row;
            row.labels = {"host", "0", operation, "latency", "local"};
            row.round = round;
            row.size_bytes = size;
            row.iterations = 1;
            row.time_us = summarize(times);
            recorder.add(row);
        }
    }
}

int lead(const Options& options) {
    const std::vector<int> queue_pairs = queue_pairs_of(options);
    const int rounds = static_cast<int>(options.number("--rounds", 1, 1000));
    const std::vector<std::uint64_t> sizes = options.sizes("--sizes");
    if (sizes.back() > largest_message) {
        throw UsageError("--sizes: " + size_text(sizes.back()) + " (accepted: up to 1GiB, the largest RDMA message)");
    }
    const std::size_t points =
        queue_pairs.size() * series_of(options).size() * sizes.size() + 2 * options.sizes("--registration").size();
    settings_of(options, 1);
    sampling_rule(options);
    open_verbs();  // without an HCA nothing is begun
    if (settings_of(options, 1).host.empty()) {
        throw UsageError("--peer process needs the own address on the RDMA network (accepted: --rdma-address ADDRESS)");
    }

    Recorder recorder(options, begin_file(options), points * static_cast<std::size_t>(rounds));
    return recorder.record([&](MeasurementFile& file) {
        const std::string& own_address = options.text("--rdma-address");
        Meeting meeting = meet(options.text("--peer"), options.text("--port"),
                               [own_address](Control& control) { serve(control, own_address); });
        const std::unique_ptr<Verbs> verbs = open_verbs();
        for (int round = 0; round < rounds; ++round) {
            for (const int pairs : queue_pairs) {
                const RdmaSettings settings = settings_of(options, pairs);
                meeting.control.send(to_order(settings));
                const std::unique_ptr<RdmaLink> link = connect_rdma(meeting.control, *verbs, settings, true);
                if (round == 0 && pairs == queue_pairs.front()) { tell_hca(file, verbs->facts()); }
                Leader leader(meeting.control, *link, steady_seconds);
                run_round(leader, recorder, options, round, {link->memory(), std::to_string(pairs)});
                if (pairs == queue_pairs.back()) { measure_registration(*verbs, recorder, options, round); }
                meeting.control.send("close");
                meeting.control.barrier();
            }
        }
        meeting.control.send("bye");
    });
}

int listen(const Options& options) {
    open_verbs();
    const std::string& port = options.text("--port");
    std::fprintf(stderr, "probe-rdma: waiting on port %s\n", port.c_str());
    Control control = listen_for_peer(options.text("--address"), port);
    serve(control, options.text("--rdma-address"));
    return whole;
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
    using namespace probe;
    return run_command(argc, argv, "probe-rdma", purpose, table(),
                       [](const Options& options) { return options.on("--listen") ? listen(options) : lead(options); });
}
