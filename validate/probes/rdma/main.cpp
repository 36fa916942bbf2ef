// probe-rdma: reliable connections over verbs: send, write (put) and read (get), and what registration costs.

#include <cstdlib>

#include "core/ending.hpp"
#include "core/exchange.hpp"
#include "core/pair.hpp"
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
        {{"--rdma-address", "ADDRESS", "", "own address on the RDMA network, when --peer's or --listen's is another"},
         {"--queue-pairs", "LIST", "1", "connections that share the messages, as 1,4"},
         {"--registration", "FROM:TO[:FACTOR]", "4KiB:256MiB:4", "sizes of memory registered and deregistered"}});
}

// 0 where the word is not a number of queue pairs.
int queue_pairs_of(const std::string& word) {
    const int count = std::atoi(word.c_str());
    return count >= 1 && count <= 1024 && std::to_string(count) == word ? count : 0;
}

// Whom the leading end connects to.
std::string host_of(const Options& options) {
    return options.text(peer_is_here(options) ? "--rdma-address" : "--peer");
}

// Rows "register" and "deregister" by size; the cost of a page is their slope.
void measure_registration(Verbs& verbs, Recorder& recorder, const Options& options, int round) {
    const std::vector<std::uint64_t> sizes = options.sizes("--registration");
    const std::unique_ptr<Arena> arena = host_arena(sizes.back());
    const int samples = sampling_rule(options).samples;
    for (const std::uint64_t size : sizes) {
        Samples in, out;
        for (int i = 0; i <= samples; ++i) {
            stop_if_asked();
            const RegistrationTime one = time_registration(verbs, *arena, size, steady_seconds);
            if (i > 0) {  // the first pins pages that were never pinned
                in.times_us.push_back(one.register_s * 1e6);
                out.times_us.push_back(one.deregister_s * 1e6);
            }
        }
        recorder.add(row_of({"host", "0", "register", "latency", "local"}, round, size, in));
        recorder.add(row_of({"host", "0", "deregister", "latency", "local"}, round, size, out));
    }
}

class Rdma final : public Transport {
public:
    explicit Rdma(const Options& options) : options_(options) {}

    std::unique_ptr<Link> connect(Control& control, const LinkSettings& settings, bool leads) override {
        const int queue_pairs = queue_pairs_of(settings.variant);
        if (queue_pairs == 0) {
            throw PeerLost("the peer orders something that is not a connection: " + settings.variant);
        }
        return connect_rdma(control, *verbs_,
                            {settings, queue_pairs, host_of(options_), options_.text("--rdma-address")}, leads);
    }

    std::vector<std::string> labels(const std::string& variant, const Link& link) const override {
        return {link.description(), variant};
    }

    void describe(const std::string& variant, const Link& /*link*/, MeasurementFile& file) const override {
        if (variant != options_.words("--queue-pairs").front()) { return; }
        for (const Entry& entry : verbs_->facts()) { file.system.push_back(entry); }
    }

    void end_round(Recorder& recorder, int round) override { measure_registration(*verbs_, recorder, options_, round); }

private:
    const Options& options_;
    std::unique_ptr<Verbs> verbs_ = open_verbs();
};

int measure(const Options& options) {
    const OpenTransport open = [&] { return std::make_unique<Rdma>(options); };
    if (options.on("--listen")) { return listen(options, "probe-rdma", open); }
    const std::vector<std::string> queue_pairs = options.words("--queue-pairs");
    for (const std::string& word : queue_pairs) {
        if (queue_pairs_of(word) == 0) {
            throw UsageError("--queue-pairs: '" + word + "' (accepted: whole numbers from 1 to 1024)");
        }
    }
    const std::uint64_t largest = options.sizes("--sizes").back();
    if (largest > largest_message) {
        throw UsageError("--sizes: " + size_text(largest) + " (accepted: up to 1GiB, the largest RDMA message)");
    }
    const std::size_t registrations = options.sizes("--registration").size();
    MeasurementFile file = begin_pair(options, "probe-rdma", "rdma", {"memory", "queue_pairs"});
    file.software.push_back(words("rdma_core", PROBES_IBVERBS_VERSION));
    open_verbs();  // without an HCA nothing is begun
    if (host_of(options).empty()) {
        throw UsageError("--peer process needs the own address on the RDMA network (accepted: --rdma-address ADDRESS)");
    }
    return lead(options, queue_pairs, std::move(file), open, 2 * registrations);
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
    using namespace probe;
    return run_command(argc, argv, "probe-rdma", purpose, table(), measure);
}
