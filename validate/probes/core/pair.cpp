#include "core/pair.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>

#include "core/arena.hpp"
#include "core/ending.hpp"
#include "core/exchange.hpp"
#include "core/machine.hpp"

namespace probe {
namespace {

// The values of an enum that the option names, in the enum's order.
template <typename Enum> std::vector<Enum> chosen(const Options& options, const char* option) {
    std::vector<Enum> values;
    for (const std::string& name : options.words(option)) { values.push_back(*value_of<Enum>(name)); }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

// What --operations, --measures and --directions ask for. Latency has no "both".
std::vector<Series> series_of(const Options& options) {
    std::vector<Series> series;
    for (const Operation operation : chosen<Operation>(options, "--operations")) {
        for (const Measure measure : chosen<Measure>(options, "--measures")) {
            for (const Direction direction : chosen<Direction>(options, "--directions")) {
                if (measure == Measure::rate || direction != Direction::both) {
                    series.push_back({operation, measure, direction});
                }
            }
        }
    }
    if (series.empty()) {
        throw UsageError("nothing to measure: a latency has no direction 'both' (accepted: to, from)");
    }
    return series;
}

LinkSettings settings_of(const Options& options, const std::string& variant) {
    const int window = options.number("--window", 1, 4096);
    std::size_t bytes = 0;
    for (const std::uint64_t size : options.sizes("--sizes")) { bytes = std::max(bytes, arena_bytes(size, window)); }
    return {variant, options.text("--memory") == "gpu", options.number("--gpu", 0, 1023), bytes, window};
}

// "open VARIANT GPU INDEX BYTES DEPTH"
std::string to_order(const LinkSettings& s) {
    return "open " + s.variant + " " + (s.gpu ? "1" : "0") + " " + std::to_string(s.gpu_index) + " " +
           std::to_string(s.bytes) + " " + std::to_string(s.depth);
}

LinkSettings parse_order(const std::string& order) {
    std::istringstream in(order);
    std::string open;
    LinkSettings s;
    in >> open >> s.variant >> s.gpu >> s.gpu_index >> s.bytes >> s.depth;
    if (!in || open != "open" || s.bytes == 0 || s.bytes > (std::size_t{1} << 36U) || s.depth < 1 || s.depth > 65536) {
        throw PeerLost("the peer orders something that is not a connection: " + order.substr(0, 80));
    }
    return s;
}

// Until the leader says "bye" or leaves.
void serve(Control& control, Transport& transport) {
    for (std::string order = control.receive(); order != "bye"; order = control.receive()) {
        const std::unique_ptr<Link> link = transport.connect(control, parse_order(order), false);
        serve_batches(control, *link, steady_seconds);
        control.barrier();  // neither end takes its memory away before the other is done
    }
}

// Serves in a process or a thread; the leader hears of a failure over the channel, or by its end, and tells it.
bool serve_quietly(Control control, const OpenTransport& open) {
    try {
        serve(control, *open());
        return true;
    } catch (const std::exception&) { return false; }
}

// The channel to the other end as --peer names it, and on this machine that end itself.
class Meeting {
public:
    // A process is forked: to be called before any library has started threads.
    Meeting(const Options& options, const OpenTransport& open) {
        if (!peer_is_here(options)) {
            control = connect_to_peer(options.text("--peer"), options.text("--port"));
            return;
        }
        std::pair<Control, Control> ends = control_pair();
        control = std::move(ends.first);
        if (options.text("--peer") == "thread") {
            thread_ = std::thread(serve_quietly, std::move(ends.second), open);
            return;
        }
        child_ = fork();
        if (child_ < 0) { throw std::runtime_error("fork failed"); }
        if (child_ == 0) {
            ignore_interrupt();
            { const Control closed = std::move(control); }
            _exit(serve_quietly(std::move(ends.second), open) ? 0 : 1);
        }
    }
    // The other end sees the channel closed, or was told to end.
    ~Meeting() {
        { const Control closed = std::move(control); }
        if (child_ > 0) { waitpid(child_, nullptr, 0); }
        if (thread_.joinable()) { thread_.join(); }
    }
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

    Control control{-1};

private:
    pid_t child_ = -1;
    std::thread thread_;
};

// One round over every series and size with a connected link.
void run_round(Leader& leader, Recorder& recorder, const Options& options, int round,
               const std::vector<std::string>& link_labels) {
    const int window = options.number("--window", 1, 4096);
    std::uint64_t seed = static_cast<std::uint64_t>(round) * 1'000'000;
    for (const Series& one : series_of(options)) {
        std::vector<std::string> labels = link_labels;
        labels.insert(labels.end(), {word(one.operation), word(one.measure), word(one.direction)});
        for (const std::uint64_t size : in_turn(options.sizes("--sizes"), round)) {
            recorder.add(row_of(labels, round, size,
                                measure_point(leader, one, size, window, sampling_rule(options), seed += 1000)));
        }
    }
}

}  // namespace

std::vector<OptionSpec> pair_options(const std::vector<OptionSpec>& own) {
    std::vector<OptionSpec> options = {
        {"--peer", "PEER", "process", "thread (in this process), process (a second one here) or HOST"},
        {"--listen", "", "", "serve a probe on another host, then end"},
        {"--port", "PORT", "18591", "of the side channel"},
        {"--address", "ADDRESS", "", "where --listen listens; every address unless given"},
        {"--operations", "LIST", "send,put,get", "which", {"send", "put", "get"}},
        {"--measures", "LIST", "latency,rate", "which", {"latency", "rate"}},
        {"--directions", "LIST", "to,both", "which", {"to", "from", "both"}},
        {"--memory", "WHERE", "host", "on both ends", {"host", "gpu"}},
        {"--gpu", "INDEX", "0", "whose memory, with --memory gpu"},
        {"--window", "COUNT", "32", "messages in flight when a rate is measured, at most, and 8 MiB of them"},
    };
    options.insert(options.end(), own.begin(), own.end());
    return with_common_options(options, "8:4MiB:2");
}

bool peer_is_here(const Options& options) {
    return options.text("--peer") == "process" || options.text("--peer") == "thread";
}

MeasurementFile begin_pair(const Options& options, const std::string& probe, const std::string& kind,
                           const std::vector<std::string>& labels) {
    rounds_of(options);
    series_of(options);
    sampling_rule(options);
    const LinkSettings settings = settings_of(options, "");
    const GpuName gpu = settings.gpu ? gpu_name(settings.gpu_index) : GpuName{};
    MeasurementFile file = begin_measurement(options, probe, kind);
    file.system = {words("gpu", gpu.name), count("nodes", peer_is_here(options) ? 1 : 2), words("cpu", cpu_name()),
                   count("numa_nodes", numa_nodes())};
    file.software = {words("driver", gpu.driver), words("kernel", kernel_name()), words("compiler", compiler_name())};
    file.label_columns = labels;
    file.label_columns.insert(file.label_columns.end(), {"operation", "measure", "direction"});
    return file;
}

int lead(const Options& options, const std::vector<std::string>& variants, MeasurementFile begun,
         const OpenTransport& open, std::size_t further_points) {
    const int rounds = rounds_of(options);
    const std::size_t points = variants.size() * series_of(options).size() * options.sizes("--sizes").size();
    Recorder recorder(options, std::move(begun), (points + further_points) * static_cast<std::size_t>(rounds));
    return recorder.record([&](MeasurementFile& file) {
        Meeting meeting(options, open);
        Control& control = meeting.control;
        const std::unique_ptr<Transport> transport = open();
        for (int round = 0; round < rounds; ++round) {
            for (const std::string& variant : variants) {
                const LinkSettings settings = settings_of(options, variant);
                control.send(to_order(settings));
                const std::unique_ptr<Link> link = transport->connect(control, settings, true);
                if (round == 0) { transport->describe(variant, *link, file); }
                Leader leader{control, *link};
                run_round(leader, recorder, options, round, transport->labels(variant, *link));
                if (variant == variants.back()) { transport->end_round(recorder, round); }
                control.send("close");
                control.barrier();
            }
        }
        control.send("bye");
    });
}

int listen(const Options& options, const std::string& probe, const OpenTransport& open) {
    const std::unique_ptr<Transport> transport = open();  // without its device nobody is waited for
    const std::string& port = options.text("--port");
    std::fprintf(stderr, "%s: waiting on port %s\n", probe.c_str(), port.c_str());
    Control control = listen_for_peer(options.text("--address"), port);
    serve(control, *transport);
    return whole;
}

}  // namespace probe
