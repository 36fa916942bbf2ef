#pragma once
// What NCCL, the network software and the launch cost, from the catalogue's parts of kind `kernel`, `transport` and
// `launch`. Every figure that a plan reads is noted: evidence, intervals and the report's list follow from the notes.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "sim/collectives/nccl/release.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// A source beginning with this was measured on the machine that is forecast: `fabricast calibrate` writes it.
inline constexpr std::string_view measured_here_prefix = "here:";

// What joins the GPUs of a node that take part, as costs tell it apart: "nvswitch", "mesh", "bridge" (NVLink between
// cards), "pcie" (peer to peer), "pcie-host" (staged through host memory: across sockets, or peer to peer is off).
std::string_view inside_of(const Fabric& fabric);

// The parts nearest to a system. A kernel part is chosen by GPU generation, then by what joins the GPUs of a node, then
// by NCCL era; a transport part by name or by the fabric's link.
struct CostParts {
    const Part* kernel = nullptr;
    const Part* network = nullptr;    // what NCCL adds on any network; null on one node
    const Part* transport = nullptr;  // null on one node
    const Part* launch = nullptr;
    const Part* intervals = nullptr;
    bool within_data = false;                    // no more nodes, and GPUs a node, than the data behind the parts had
    Evidence evidence = Evidence::formula_only;  // by distance, before the figures' sources are seen
    std::vector<std::string> notes;
};

// Throws PlanError naming the known transports when `library.transport` is none of them.
CostParts cost_parts(const Catalog& catalog, const Fabric& fabric, const nccl::Version& version,
                     const LibrarySpec& library, bool gpu_direct);

class Ledger {
public:
    explicit Ledger(CostParts parts) : parts_(std::move(parts)) {}

    double kernel(std::string_view figure) { return read(*parts_.kernel, figure); }
    double network(std::string_view figure) { return read(*parts_.network, figure); }
    double transport(std::string_view figure) { return read(*parts_.transport, figure); }
    double launch(std::string_view figure) { return read(*parts_.launch, figure); }

    const CostParts& parts() const { return parts_; }
    Evidence evidence() const;
    std::vector<FigureUsed> figures() const;

private:
    double read(const Part& part, std::string_view figure);

    CostParts parts_;
    std::map<std::pair<std::string, std::string>, const Figure*> used_;  // part and figure
};

struct Interval {
    double low80 = 0, high80 = 0;  // relative to the forecast, e.g. -0.05 and +0.06
};

// The 80 % interval of a time, from the catalogue's part `forecast-intervals`: how far forecasts of like evidence,
// inside one node or between nodes, in the size's regime, were from measurements that their constants were not fitted
// to. Regimes: below 64 KiB, below 16 MiB, above.
Interval interval(const Ledger& ledger, Evidence evidence, double bytes);

}  // namespace fabricast
