// probe-ucx: the sweep over UCX, to a thread or a process beside it, or to another host.

#include <cstdio>
#include <sstream>

#include "core/companion.hpp"
#include "core/gpu_memory.hpp"
#include "core/machine.hpp"
#include "core/series.hpp"
#include "ucx/ucx_link.hpp"

namespace probe {
namespace {

constexpr const char* purpose =
    "Latency and rate of messages, puts and gets over UCX: to a thread or process beside it, or to another host where\n"
    "`probe-ucx --listen` waits. Writes a measurement file. Exit 0 whole, 1 failed, 2 bad arguments, 4 no such device.";

std::vector<OptionSpec> table() {
    return pair_options(
        "process",
        {{"--transports", "LIST", "shm,tcp", "UCX transports, each by itself (shm tcp rc ud all; rc+cuda is both)", {}},
         {"--devices", "NAME", "", "UCX network device, as lo or mlx5_0:1", {}}});
}

UcxSettings settings_of(const Options& options, const std::string& transports) {
    UcxSettings s;
    s.transports = transports;
    for (char& c : s.transports) { c = c == '+' ? ',' : c; }
    s.devices = options.text("--devices");
    s.gpu = options.text("--memory") == "gpu";
    s.gpu_index = static_cast<int>(options.number("--gpu", 0, 1023));
    s.bytes = arena_bytes_for(options);
    s.depth = static_cast<int>(options.number("--window", 1, 4096));
    return s;
}

// "open TRANSPORTS DEVICES GPU INDEX BYTES DEPTH", with "-" for no device.
std::string to_order(const UcxSettings& s) {
    return "open " + s.transports + " " + (s.devices.empty() ? "-" : s.devices) + " " + (s.gpu ? "1" : "0") + " " +
           std::to_string(s.gpu_index) + " " + std::to_string(s.bytes) + " " + std::to_string(s.depth);
}

UcxSettings parse_order(const std::string& order) {
    std::istringstream in(order);
    std::string open;
    UcxSettings s;
    in >> open >> s.transports >> s.devices >> s.gpu >> s.gpu_index >> s.bytes >> s.depth;
    if (!in || open != "open" || s.bytes == 0 || s.bytes > (std::size_t{1} << 36U) || s.depth < 1 || s.depth > 65536) {
        throw PeerLost("the peer orders what is no connection: " + order.substr(0, 80));
    }
    s.devices = s.devices == "-" ? "" : s.devices;
    return s;
}

// Until the leader says "bye" or leaves.
void serve(Control& control) {
    for (std::string order = control.receive(); order != "bye"; order = control.receive()) {
        const std::unique_ptr<UcxLink> link = connect_ucx(control, parse_order(order));
        serve_batches(control, *link, steady_seconds);
        control.barrier();  // neither end takes its memory away before the other is done
    }
}

MeasurementFile begin_file(const Options& options) {
    MeasurementFile file = begin_measurement(options, "probe-ucx", "ucx");
    const std::string& peer = options.text("--peer");
    const bool gpu = options.text("--memory") == "gpu";
    const GpuName device = gpu ? gpu_name(static_cast<int>(options.number("--gpu", 0, 1023))) : GpuName{};
    file.system = {words("gpu", device.name), count("nodes", peer == "thread" || peer == "process" ? 1 : 2),
                   words("network", options.text("--devices")), words("cpu", cpu_name()),
                   count("numa_nodes", numa_nodes())};
    file.software = {words("ucx", ucx_version()), words("driver", device.driver), words("kernel", kernel_name()),
                     words("compiler", compiler_name()), words("env", environment_of("UCX_"))};
    file.label_columns = {"transport", "memory", "operation", "measure", "direction"};
    return file;
}

int lead(const Options& options) {
    const std::vector<std::string> transports = options.words("--transports");
    const int rounds = static_cast<int>(options.number("--rounds", 1, 1000));
    const std::size_t points = series_of(options).size() * options.sizes("--sizes").size();
    settings_of(options, "");
    sampling_rule(options);

    Recorder recorder(options, begin_file(options), transports.size() * points * static_cast<std::size_t>(rounds));
    return recorder.record([&](MeasurementFile& file) {
        Meeting meeting = meet(options.text("--peer"), options.text("--port"), serve);
        Control& control = meeting.control;
        for (int round = 0; round < rounds; ++round) {
            for (const std::string& name : transports) {
                const UcxSettings settings = settings_of(options, name);
                control.send(to_order(settings));
                const std::unique_ptr<UcxLink> link = connect_ucx(control, settings);
                if (round == 0) { file.benchmark.push_back(words("lanes_" + name, link->lanes())); }
                Leader leader(control, *link, steady_seconds);
                run_round(leader, recorder, options, round, {name, options.text("--memory")});
                control.send("close");
                control.barrier();
            }
        }
        control.send("bye");
    });
}

int listen(const Options& options) {
    const std::string& port = options.text("--port");
    std::fprintf(stderr, "probe-ucx: waiting on port %s\n", port.c_str());
    Control control = listen_for_peer(options.text("--address"), port);
    serve(control);
    return whole;
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
    using namespace probe;
    return run_command(argc, argv, "probe-ucx", purpose, table(),
                       [](const Options& options) { return options.on("--listen") ? listen(options) : lead(options); });
}
