#pragma once
// What probes between two ends have in common: options, the other end, the walk over the series; transports add links.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/command.hpp"
#include "core/control.hpp"
#include "core/link.hpp"

namespace probe {

// One end's way to make links: UCX, or an HCA.
class Transport {
public:
    virtual ~Transport() = default;
    // Both ends call this at the same time with the same settings; one of them leads.
    virtual std::unique_ptr<Link> connect(Control& control, const LinkSettings& settings, bool leads) = 0;

    // The leading end calls the rest. What labels the link's rows before operation, measure and direction.
    virtual std::vector<std::string> labels(const std::string& variant, const Link& link) const = 0;
    // Adds what the file says of a variant: called once, with its first link.
    virtual void describe(const std::string& variant, const Link& link, MeasurementFile& file) const = 0;
    // Measures what a round has once, while its last link is open.
    virtual void end_round(Recorder& /*recorder*/, int /*round*/) {}
};
using OpenTransport = std::function<std::unique_ptr<Transport>()>;

// --peer, --listen, --port, --address, --operations, --measures, --directions, --memory, --gpu, --window and the common
// ones, with this transport's own between.
std::vector<OptionSpec> pair_options(const std::vector<OptionSpec>& own);

// Is --peer a thread or a process of this machine?
bool peer_is_here(const Options& options);

// Throws UsageError where the options of all pairs are wrong, NotHere without the GPU that they name.
MeasurementFile begin_pair(const Options& options, const std::string& probe, const std::string& kind,
                           const std::vector<std::string>& labels);

// Every round, variant and series. `variants` are the LinkSettings' words; a round has `further_points` of its own.
int lead(const Options& options, const std::vector<std::string>& variants, MeasurementFile begun,
         const OpenTransport& open, std::size_t further_points = 0);

// Serves one leader on another host.
int listen(const Options& options, const std::string& probe, const OpenTransport& open);

}  // namespace probe
