// probe-ucx: the sweep over UCX, to a thread or a process beside it, or to another host.

#include "core/pair.hpp"
#include "ucx/ucx_link.hpp"

namespace probe {
namespace {

constexpr const char* purpose =
    "Latency and rate of messages, puts and gets over UCX: to a thread or process beside it, or to another host where\n"
    "`probe-ucx --listen` waits. Writes a measurement file. Exit 0 whole, 1 failed, 2 bad arguments, 4 no such device.";

std::vector<OptionSpec> table() {
    return pair_options(
        {{"--transports", "LIST", "shm,tcp", "UCX transports, each by itself (shm tcp rc ud all; rc+cuda is both)"},
         {"--devices", "NAME", "", "UCX network device, as lo or mlx5_0:1"}});
}

class Ucx final : public Transport {
public:
    explicit Ucx(const Options& options) : options_(options) {}

    // The leader's devices are both ends'.
    std::unique_ptr<Link> connect(Control& control, const LinkSettings& settings, bool leads) override {
        if (!leads) { return connect_ucx(control, settings, control.receive()); }
        const std::string& devices = options_.text("--devices");
        control.send(devices);
        return connect_ucx(control, settings, devices);
    }

    std::vector<std::string> labels(const std::string& variant, const Link& /*link*/) const override {
        return {variant, options_.text("--memory")};
    }

    void describe(const std::string& variant, const Link& link, MeasurementFile& file) const override {
        file.benchmark.push_back(words("lanes_" + variant, link.description()));
    }

private:
    const Options& options_;
};

int measure(const Options& options) {
    const OpenTransport open = [&] { return std::make_unique<Ucx>(options); };
    if (options.on("--listen")) { return listen(options, "probe-ucx", open); }
    const std::vector<std::string> transports = options.words("--transports");
    MeasurementFile file = begin_pair(options, "probe-ucx", "ucx", {"transport", "memory"});
    file.system.push_back(words("network", options.text("--devices")));
    file.software.push_back(words("ucx", ucx_version()));
    file.software.push_back(words("env", environment_of("UCX_")));
    return lead(options, transports, std::move(file), open);
}

}  // namespace
}  // namespace probe

int main(int argc, char** argv) {
    using namespace probe;
    return run_command(argc, argv, "probe-ucx", purpose, table(), measure);
}
