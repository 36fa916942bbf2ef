#pragma once
// The catalogue's parts of kind `kernel`, `transport` and `launch` that say what NCCL, its network transport and the
// launch cost on a system, and the reader of their figures. Every figure that a plan reads is recorded: evidence,
// intervals and the report's list of figures follow from these records.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/collectives/nccl/names.hpp"
#include "sim/plan/collectives/trust.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline collectives {

// What joins the participating GPUs of a node, as the cost parts distinguish it: "nvswitch", "mesh", "bridge" (NVLink
// between cards), "pcie" (peer to peer), "pcie-host" (staged through the host: across sockets, or no peer to peer).
std::string_view inside_of(const Fabric& fabric);

// The parts nearest to a system. A kernel part is chosen by GPU generation, then by what joins the GPUs of a node, then
// by NCCL version; a transport part by name or by the fabric's link.
struct CostParts {
    const Part* kernel = nullptr;
    const Part* nvls = nullptr;       // the same behind an NVSwitch, which NVLS needs, however else the GPUs are joined
    const Part* kernels = nullptr;    // what all kernel parts share; a kernel part's own figure goes first
    const Part* network = nullptr;    // what NCCL adds on any network; null on one node
    const Part* transport = nullptr;  // null on one node
    const Part* launch = nullptr;
    const Part* host = nullptr;     // the processor, if it launches at a pace of its own
    const Part* windows = nullptr;  // kernels over symmetric windows
    const Part* msccl = nullptr;    // MSCCL's interpreter
    const Part* intervals = nullptr;
    bool within_data = false;                    // no more nodes, or GPUs per node, than in the parts' data
    Evidence evidence = Evidence::formula_only;  // of the parts, from their distance, size and sites
    KnownSites known;
    std::vector<std::string> notes;

    // The trust in one figure of one of these parts: the parts' own evidence, or weaker if the figure was fitted to no
    // data, to data of a single site, or only to data of other GPUs or links.
    Trust of(const Part& part, const Figure& figure) const;
};

// `inside` is a word of inside_of, perhaps changed by NCCL's settings; empty: inside_of(fabric). Throws PlanError
// naming the known transports when `library.network_plugin` is none of them.
CostParts cost_parts(const Catalog& catalog, const Fabric& fabric, const nccl::Version& version,
                     const LibrarySpec& library, bool gpu_direct, std::string_view inside = {});

// The figures that were read, by part and name.
class FigureLog {
public:
    const Figure& read(const Part& part, std::string_view figure);  // throws CatalogError
    std::vector<FigureUsed> figures() const;                        // as reports list them

    struct Read {
        const Part* part;
        const Figure* figure;
    };
    const auto& all() const { return read_; }

private:
    std::map<std::pair<std::string, std::string>, Read> read_;
};

class FigureReader {
public:
    // `parts` must outlive the reader. `moved` is read at one end of its 80 % interval, to see how much it matters.
    enum class End : bool { low, high };
    explicit FigureReader(const CostParts& parts, const Figure* moved = nullptr, End end = End::high)
        : parts_(parts), moved_(moved), end_(end) {}

    double kernel(std::string_view figure) { return own_or_shared(*parts_.kernel, figure); }
    double nvls(std::string_view figure) { return own_or_shared(*parts_.nvls, figure); }
    double network(std::string_view figure) { return read(*parts_.network, figure); }
    double transport(std::string_view figure) { return read(*parts_.transport, figure); }
    double launch(std::string_view figure) {
        return read(*parts_.launch, figure) * (parts_.host == nullptr ? 1 : read(*parts_.host, "launch.pace"));
    }
    double window(std::string_view figure) { return read(*parts_.windows, figure); }
    double msccl(std::string_view figure) { return read(*parts_.msccl, figure); }

    const CostParts& parts() const { return parts_; }
    std::vector<FigureUsed> figures() const { return log_.figures(); }
    std::vector<std::pair<const Figure*, Trust>> trust() const;  // of every figure read

private:
    double read(const Part& part, std::string_view figure);
    double own_or_shared(const Part& kernel, std::string_view figure) {
        return read(kernel.figures.contains(figure) ? kernel : *parts_.kernels, figure);
    }

    const CostParts& parts_;
    const Figure* moved_;
    End end_;
    FigureLog log_;
};

}  // namespace fabricast::inline collectives
