// probe-ucx: the sweep over UCX, to a thread or a process beside it, or to another host.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>

#include "core/command.hpp"
#include "core/exchange.hpp"
#include "core/gpu_memory.hpp"
#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "ucx/ucx_link.hpp"

namespace probe {
namespace {

constexpr const char* purpose =
    "Latency and rate of messages, puts and gets over UCX: to a thread or process beside it, or to another host where\n"
    "`probe-ucx --listen` waits. Writes a measurement file. Exit 0 whole, 1 failed, 2 bad arguments, 4 no such device.";

std::vector<OptionSpec> table() {
    std::vector<OptionSpec> options = {
        {"--peer", "PEER", "process", "thread (in this process), process (a second one here) or HOST", {}},
        {"--listen", "", "", "serve a probe on another host, then end", {}},
        {"--port", "PORT", "18591", "of the side channel", {}},
        {"--address", "ADDRESS", "", "where --listen listens; every address unless given", {}},
        {"--transports",
         "LIST",
         "shm,tcp",
         "UCX transports, each measured by itself (shm tcp rc ud cuda all; rc+cuda is both)",
         {}},
        {"--devices", "NAME", "", "UCX network device, as lo or mlx5_0:1", {}},
        {"--operations", "LIST", "send,put,get", "which", {"send", "put", "get"}},
        {"--measures", "LIST", "latency,rate", "which", {"latency", "rate"}},
        {"--directions", "LIST", "to,both", "which", {"to", "from", "both"}},
        {"--memory", "WHERE", "host", "on both ends", {"host", "gpu"}},
        {"--gpu", "INDEX", "0", "whose memory, with --memory gpu", {}},
        {"--window", "COUNT", "32", "messages in flight when a rate is measured, at most, and 8 MiB of them", {}},
    };
    const std::vector<OptionSpec> common = common_options("8:4MiB:2");
    options.insert(options.end(), common.begin(), common.end());
    return options;
}

std::string spaced_by_commas(std::string text) {
    for (char& c : text) {
        c = c == '+' ? ',' : c;
    }
    return text;
}

// "open TRANSPORTS DEVICES GPU INDEX BYTES DEPTH", with "-" for no device.
std::string open_order(const UcxSettings& s) {
    return "open " + s.transports + " " + (s.devices.empty() ? "-" : s.devices) + " " + (s.gpu ? "1" : "0") + " " +
           std::to_string(s.gpu_index) + " " + std::to_string(s.bytes) + " " + std::to_string(s.depth);
}

UcxSettings parse_open(const std::string& order) {
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
        const std::unique_ptr<UcxLink> link = connect_ucx(control, parse_open(order));
        serve_batches(control, *link, steady_seconds);
        control.barrier();  // neither end takes its memory away before the other is done
    }
}

// The other end of a measurement on this machine, for as long as the run lasts.
class Companion {
public:
    static Companion process(Control& here) {
        std::pair<Control, Control> ends = control_pair();
        const pid_t child = fork();
        if (child < 0) {
            throw std::runtime_error("fork failed");
        }
        if (child == 0) {
            ignore_interrupt();
            { const Control closed = std::move(ends.first); }
            _exit(serve_quietly(ends.second) ? 0 : 1);
        }
        here = std::move(ends.first);
        Companion companion;
        companion.child_ = child;
        return companion;
    }

    static Companion thread(Control& here) {
        std::pair<Control, Control> ends = control_pair();
        here = std::move(ends.first);
        Companion companion;
        companion.thread_ = std::thread([end = std::move(ends.second)]() mutable { serve_quietly(end); });
        return companion;
    }

    Companion() = default;
    Companion(Companion&& other) noexcept
        : child_(std::exchange(other.child_, -1)), thread_(std::move(other.thread_)) {}
    Companion& operator=(Companion&&) = delete;

    // Precondition: the control channel is closed or "bye" was said.
    ~Companion() {
        if (child_ > 0) {
            waitpid(child_, nullptr, 0);
        }
        if (thread_.joinable()) {
            thread_.join();
        }
    }

private:
    // The leader hears of a failure over the channel or by its end, and tells it.
    static bool serve_quietly(Control& control) {
        try {
            serve(control);
            return true;
        } catch (const std::exception&) {
            const Control closed = std::move(control);
            return false;
        }
    }

    pid_t child_ = -1;
    std::thread thread_;
};

template <typename Word>
std::vector<Word> chosen(const std::vector<std::string>& names, std::initializer_list<Word> all) {
    std::vector<Word> found;
    for (const Word one : all) {
        for (const std::string& name : names) {
            if (name == word(one)) {
                found.push_back(one);
            }
        }
    }
    return found;
}

std::vector<Series> series_of(const Options& options) {
    std::vector<Series> series;
    for (const Operation operation :
         chosen(options.words("--operations"), {Operation::send, Operation::put, Operation::get})) {
        for (const Measure measure : chosen(options.words("--measures"), {Measure::latency, Measure::rate})) {
            for (const Direction direction :
                 chosen(options.words("--directions"), {Direction::to_peer, Direction::from_peer, Direction::both})) {
                if (measure == Measure::rate || direction != Direction::both) {
                    series.push_back({operation, measure, direction});
                }
            }
        }
    }
    return series;
}

MeasurementFile begin_file(const Options& options) {
    MeasurementFile file = begin_measurement(options, "probe-ucx", "ucx");
    const std::string peer = options.text("--peer");
    const bool gpu = options.text("--memory") == "gpu";
    const GpuName device = gpu ? gpu_name(static_cast<int>(options.number("--gpu", 0, 1023))) : GpuName{};
    file.system = {words("gpu", device.name), count("nodes", peer == "thread" || peer == "process" ? 1 : 2),
                   words("network", options.text("--devices")), words("cpu", cpu_name()),
                   count("numa_nodes", static_cast<std::uint64_t>(numa_nodes()))};
    file.software = {words("ucx", ucx_version()), words("driver", device.driver), words("kernel", kernel_name()),
                     words("compiler", compiler_name()), words("env", environment_of("UCX_"))};
    file.label_columns = {"transport", "operation", "measure", "direction", "memory"};
    return file;
}

int lead(const Options& options) {
    const std::vector<std::uint64_t> sizes = options.sizes("--sizes");
    const int window = static_cast<int>(options.number("--window", 1, 4096));
    const std::vector<Series> series = series_of(options);
    const std::vector<std::string> transports = options.words("--transports");
    const int rounds = static_cast<int>(options.number("--rounds", 1, 1000));
    const SamplingRule rule = sampling_rule(options);
    const std::string peer = options.text("--peer");
    const std::string port = options.text("--port");

    Recorder recorder(options, begin_file(options),
                      transports.size() * series.size() * sizes.size() * static_cast<std::size_t>(rounds));
    return recorder.record([&](MeasurementFile& file) {
        // A process is made before UCX has threads; and the channel closes before the companion is waited for.
        Control control(-1);
        const Companion companion = peer == "process"  ? Companion::process(control)
                                    : peer == "thread" ? Companion::thread(control)
                                                       : Companion();
        Control channel = peer == "process" || peer == "thread" ? std::move(control) : connect_to_peer(peer, port, 10);
        std::uint64_t seed = 1;
        for (int round = 0; round < rounds; ++round) {
            for (const std::string& name : transports) {
                UcxSettings settings;
                settings.transports = spaced_by_commas(name);
                settings.devices = options.text("--devices");
                settings.gpu = options.text("--memory") == "gpu";
                settings.gpu_index = static_cast<int>(options.number("--gpu", 0, 1023));
                settings.depth = window;
                for (const std::uint64_t size : sizes) {
                    settings.bytes = std::max(settings.bytes, arena_bytes(size, window));
                }
                channel.send(open_order(settings));
                const std::unique_ptr<UcxLink> link = connect_ucx(channel, settings);
                if (round == 0) {
                    file.benchmark.push_back(words("lanes_" + name, link->lanes()));
                }
                Leader leader(channel, *link, steady_seconds);
                for (const SweepPoint& point : interleaved(1, series.size(), sizes.size())) {
                    const Series& one = series[point.series];
                    // Every second round walks down.
                    const std::uint64_t size = sizes[round % 2 == 0 ? point.size : sizes.size() - 1 - point.size];
                    const PointResult result = measure_point(leader, one, size, window, rule, seed += 1000);
                    Row row;
                    row.labels = {name, word(one.operation), word(one.measure), word(one.direction),
                                  options.text("--memory")};
                    row.round = round;
                    row.size_bytes = size;
                    row.iterations = result.iterations;
                    row.time_us = summarize(result.times_us);
                    row.checked_bytes = result.checked_bytes;
                    recorder.add(row);
                }
                channel.send("close");
                channel.barrier();
            }
        }
        channel.send("bye");
    });
}

int listen(const Options& options) {
    const std::string port = options.text("--port");
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
