#pragma once
// What NCCL, the network software and the launch cost, from the catalogue's parts of kind `kernel`, `transport` and
// `launch`. Every figure that a plan reads is recorded: evidence, intervals and the report's list of figures follow
// from these records. Which sites a figure was fitted to follows from the datasets in its source and the catalogue's
// parts of kind `site`.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "models/evidence.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/collectives/library.hpp"
#include "sim/plan/collectives/nccl/release.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// A figure whose source begins with this was measured on the machine that is forecast: `fabricast calibrate` writes it.
inline constexpr std::string_view measured_here_prefix = "here:";
// The source of a figure in such an overlay that the measurements hardly constrain: its value is still the catalogue's.
inline constexpr std::string_view kept_here_source = "here: no row tells it: the catalogue's";

// A fitted figure whose source begins with this keeps most of its prior's spread: its value comes from its family's
// prior rather than from its data. Its origin is `estimated`; the datasets of the fit follow in its source.
inline constexpr std::string_view hardly_told_source =
    "its data hardly tell: more than 70 % of its prior's spread is left";
bool hardly_told(const Figure& figure);

// What joins the participating GPUs of a node, as the cost parts distinguish it: "nvswitch", "mesh", "bridge" (NVLink
// between cards), "pcie" (peer to peer), "pcie-host" (staged through host memory: across sockets, or peer to peer is
// off).
std::string_view inside_of(const Fabric& fabric);

// What a figure, or a whole forecast, rests on, and which class of `forecast-intervals` applies to it. The two may
// differ: that class depends only on whether related sites were in the fit, not on how wide the figures' own intervals
// are.
struct Trust {
    Evidence evidence = Evidence::formula_only;
    Evidence misses_like = Evidence::formula_only;
};

// The parts nearest to a system. A kernel part is chosen by GPU generation, then by what joins the GPUs of a node, then
// by NCCL version; a transport part by name or by the fabric's link.
struct CostParts {
    const Part* kernel = nullptr;
    const Part* network = nullptr;    // what NCCL adds on any network; null on one node
    const Part* transport = nullptr;  // null on one node
    const Part* launch = nullptr;
    const Part* intervals = nullptr;
    bool within_data = false;                       // no more nodes, or GPUs per node, than in the parts' data
    Evidence evidence = Evidence::formula_only;     // of the parts, from their distance, size and sites
    std::string gpu, link;                          // of the system
    std::map<std::string_view, const Part*> sites;  // by dataset: parts of kind `site`
    std::vector<std::string> notes;

    // The trust in one figure of one of these parts: the parts' own evidence, or weaker if the figure was fitted to no
    // data, to data of a single site, or only to data of other GPUs or links.
    Trust of(const Part& part, const Figure& figure) const;
};

// `inside` is a word of inside_of, perhaps changed by NCCL's settings; empty: inside_of(fabric). Throws PlanError
// naming the known transports when `library.network_plugin` is none of them.
CostParts cost_parts(const Catalog& catalog, const Fabric& fabric, const nccl::Version& version,
                     const LibrarySpec& library, bool gpu_direct, std::string_view inside = {});

class FigureReader {
public:
    // `parts` must outlive the reader. `moved` is read at one end of its 80 % interval, to see how much it matters.
    enum class End : bool { low, high };
    explicit FigureReader(const CostParts& parts, const Figure* moved = nullptr, End end = End::high)
        : parts_(parts), moved_(moved), end_(end) {}

    double kernel(std::string_view figure) { return read(*parts_.kernel, figure); }
    double network(std::string_view figure) { return read(*parts_.network, figure); }
    double transport(std::string_view figure) { return read(*parts_.transport, figure); }
    double launch(std::string_view figure) { return read(*parts_.launch, figure); }

    const CostParts& parts() const { return parts_; }
    std::vector<FigureUsed> figures() const;

    std::vector<std::pair<const Figure*, Trust>> trust() const;  // of every figure read

private:
    double read(const Part& part, std::string_view figure);

    struct Used {
        const Part* part;
        const Figure* figure;
    };
    const CostParts& parts_;
    const Figure* moved_;
    End end_;
    std::map<std::pair<std::string, std::string>, Used> used_;  // part and figure
};

struct Interval {
    double low80 = 0, high80 = 0;  // relative to the forecast, e.g. -0.05 and +0.06
};

// The 80 % interval of a time, from the catalogue's part `forecast-intervals`: how far forecasts with the same
// evidence, scope (inside one node or between nodes) and size regime were from measurements that their constants were
// not fitted to. Regimes: below 64 KiB; 64 KiB to 16 MiB; from 16 MiB on.
Interval interval(const FigureReader& ledger, Evidence misses_like, double bytes);

}  // namespace fabricast
