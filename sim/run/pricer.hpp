#pragma once
// Prices many calls on one cluster, for simulators of serving and scheduling, which ask millions of times.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "models/catalog.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline run {

// There is no such collective (exit code 2).
struct UnknownCollective : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// "all_reduce" and the like. Throws UnknownCollective, naming the nearest.
Collective collective_named(const std::string& name);

// A collective of the first `gpus_per_node` GPUs of each of `nodes` neighbouring nodes; 0: as many as the scenario has.
struct PricedCall {
    Collective collective = Collective::all_reduce;
    Bytes size;  // nccl-tests'
    std::uint32_t nodes = 0, gpus_per_node = 0;
};

// One message between two devices: "node0.gpu1", "node3.gpu1".
struct PricedTransfer {
    std::string from, to;
    Bytes size;
};

class Pricer {
public:
    // The scenario's cluster, library, engine and events; its workload gives the data type. Throws as simulate() does.
    Pricer(Scenario scenario, Catalog catalog);
    ~Pricer();

    // Seconds of one call in the steady state, as `run` forecasts them. Calls of one group share a plan and a grid of
    // eight sizes an octave, each replayed once, when first needed; between two of them the logarithm of time goes
    // straight, and where algorithm, protocol or channels change the grid is eight times finer. `exact` replays the
    // size itself. May be called from any thread. Throws InputError, CannotEnd.
    double seconds(const PricedCall& call, bool exact = false);

    // When each message has arrived, seconds from the start of all; they share the links. Equal sets are replayed once.
    std::vector<double> seconds(const std::vector<PricedTransfer>& transfers);

private:
    struct Group;
    Group& group(const PricedCall& call);
    std::vector<double> replayed(const std::vector<PricedTransfer>& transfers) const;

    const Scenario scenario_;
    const Catalog catalog_;
    const Fabric built_;
    std::mutex mutex_;
    std::map<std::tuple<Collective, std::uint32_t, std::uint32_t>, std::unique_ptr<Group>> groups_;
    std::map<std::vector<std::tuple<std::string, std::string, std::int64_t>>, std::vector<double>> transfers_;
};

}  // namespace fabricast::inline run
