#include "sim/plan/collectives/costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"
#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "sim/plan/collectives/nccl/locality.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives {

namespace {

int arch_index(std::string_view word) {
    return static_cast<int>(std::ranges::find(gpu_arch_names, word) - gpu_arch_names.begin());
}

bool lists(const Part& part, std::string_view path, std::string_view item) {
    return has_word(part.word_or(path, ""), item);
}

// The GPU as kernel parts know it: its generation, or that which stands in for it, and the one that its part names.
struct KernelGpu {
    GpuArch arch;
    std::string own;
};

KernelGpu kernel_gpu(const Catalog& catalog, const GpuSpec& gpu) {
    const Part* part = catalog.find(gpu.name);
    return {gpu.arch, part == nullptr ? "" : part->word_or("arch", "")};
}

// Generations between a kernel part and a GPU. A part of a maker that the table of generations does not know serves the
// generations that it names, and no other.
int generations_between(const Part& part, const KernelGpu& gpu) {
    constexpr int never = 1000;
    const int index = arch_index(part.word("arch"));
    if (index == static_cast<int>(gpu_arch_names.size())) { return lists(part, "arch", gpu.own) ? 0 : never; }
    // What stands in is farther than the GPU's own.
    const bool stands_in = arch_index(gpu.own) == static_cast<int>(gpu_arch_names.size()) && !gpu.own.empty();
    return std::abs(index - static_cast<int>(gpu.arch)) + (stands_in ? 1 : 0);
}

// How far a kernel part's data are from this system: GPU generation counts most, NCCL version least.
int distance(const Part& part, const KernelGpu& gpu, std::string_view inside, const nccl::Version& version) {
    const int generations = generations_between(part, gpu);
    const bool same_inside = part.word("inside") == inside;
    const bool related = part.word("inside").starts_with("pcie") == inside.starts_with("pcie");
    const bool newer = nccl::parse_version(part.word("since")) > version;
    const bool ended = part.text.contains("before") && nccl::parse_version(part.word("before")) <= version;
    return 100 * generations + (same_inside ? 0 : related ? 10 : 50) + (newer || ended ? 1 : 0);
}

using Parts = std::vector<const Part*>;

const Part& nearest_kernel(const Catalog& catalog, const KernelGpu& gpu, std::string_view inside,
                           const nccl::Version& version) {
    Parts parts = catalog.of_kind("kernel");
    std::erase_if(parts, [](const Part* part) { return !part->text.contains("arch"); });  // what all share
    if (parts.empty()) { throw PlanError("the catalogue holds no kernel costs (parts of kind 'kernel')"); }
    return **std::ranges::min_element(parts, {},
                                      [&](const Part* part) { return distance(*part, gpu, inside, version); });
}

// NCCL's network transport (NET) that is nearest to a system.
struct NearestTransport {
    const Part* part = nullptr;
    Evidence evidence = Evidence::same_gpu_era_fabric;
};

// The part of the family (empty: of any) that fits best: it should list the link, and then reach GPU memory as asked.
NearestTransport fitting_transport(const Parts& all, std::string_view family, const std::string& link,
                                   bool gpu_direct) {
    NearestTransport best;
    int best_score = -1;
    for (const Part* part : all) {
        if (!family.empty() && part->word("family") != family) { continue; }
        const bool direct = (part->word_or("gpu_direct", "yes") == "yes") == gpu_direct;
        const int score = (lists(*part, "links", link) ? 2 : 0) + (direct ? 1 : 0);
        if (score > best_score) {
            best_score = score;
            best = {part, score == 3 ? Evidence::same_gpu_era_fabric : Evidence::same_family};
        }
    }
    return best;
}

// `asked` names a part, with or without "transport-", or a family ("infiniband"). If it is empty, the fabric's link
// decides, then the link's family; else InfiniBand is assumed.
NearestTransport nearest_transport(const Catalog& catalog, const LinkSpec& link, const std::string& asked,
                                   bool gpu_direct) {
    const Parts all = catalog.of_kind("transport");
    if (!asked.empty()) {
        const auto named = std::ranges::find_if(
            all, [&](const Part* part) { return part->name == asked || part->name == "transport-" + asked; });
        if (named != all.end()) { return {*named, Evidence::same_gpu_era_fabric}; }
        const NearestTransport family = fitting_transport(all, asked, link.name, gpu_direct);
        if (family.part == nullptr) {
            throw PlanError(fmt::format("no network transport '{}' in the catalogue (it has {})", asked,
                                        fmt::join(names_of(all, &Part::name), ", ")));
        }
        return family;
    }
    const NearestTransport by_link = fitting_transport(all, "", link.name, gpu_direct);
    if (by_link.part != nullptr && lists(*by_link.part, "links", link.name)) { return by_link; }
    const NearestTransport by_family =
        fitting_transport(all, std::string(link.family->network ? link.family->name : "other"), link.name, gpu_direct);
    if (by_family.part != nullptr) { return by_family; }
    const NearestTransport far = fitting_transport(all, "infiniband", link.name, gpu_direct);
    if (far.part == nullptr) { throw PlanError("the catalogue holds no network costs (parts of kind 'transport')"); }
    return {far.part, Evidence::formula_only};
}

// Data up to size `largest` are good evidence up to twice that size, weaker up to eight times, and none beyond.
Evidence by_reach(double wanted, double largest) {
    if (wanted <= 2 * largest) { return Evidence::same_gpu_era_fabric; }
    return wanted <= 8 * largest ? Evidence::same_family : Evidence::formula_only;
}

const Part* first_of(const Catalog& catalog, std::string_view kind, std::string_view name) {
    const Part* part = catalog.find(name);
    if (part == nullptr || part->kind != kind) {
        throw PlanError(fmt::format("the catalogue has no part '{}' of kind {}", name, kind));
    }
    return part;
}

// The node's first processor whose part says how fast it launches.
const Part* paced_host(const Catalog& catalog, const NodeTemplate& node) {
    for (const NodeDevice& device : node.devices) {
        const Part* part = device.name.starts_with("cpu") ? catalog.find(device.part) : nullptr;
        if (part != nullptr && part->figures.contains("launch.pace")) { return part; }
    }
    return nullptr;
}

// Names the figures of a calibration's overlay that keep the catalogue's value.
std::string kept_here(const CostParts& parts) {
    std::vector<std::string> names;
    for (const Part* part : {parts.kernel, parts.kernels, parts.network, parts.transport, parts.launch}) {
        if (part == nullptr) { continue; }
        for (const auto& [name, figure] : part->figures) {
            if (!figure.source.empty() && figure.source.front() == kept_here_source) {
                names.push_back(fmt::format("{}/{}", part->name, name));
            }
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string measured_elsewhere(const std::string& systems, const std::string& own) {
    return systems.empty() ? "" : fmt::format(", measured on {}, not on {}", systems, own);
}

// Chooses the parts of the network between nodes; their data limit the evidence.
void add_network(const Catalog& catalog, const Fabric& fabric, const LibrarySpec& library, bool gpu_direct,
                 CostParts& parts) {
    parts.network = first_of(catalog, "kernel", "nccl-network");
    const NearestTransport transport = nearest_transport(catalog, fabric.port(), library.network_plugin, gpu_direct);
    parts.transport = transport.part;
    const double nodes_of_data = parts.transport->number_or("data.nodes", 1);
    const std::string other_links = parts.known.other_systems(*parts.transport);
    Evidence network = weaker(transport.evidence, by_reach(fabric.node_count(), nodes_of_data));
    if (!other_links.empty()) { network = weaker(network, Evidence::same_family); }
    if (network != Evidence::same_gpu_era_fabric) {
        parts.notes.push_back(fmt::format("network costs from {}, nearest data {} nodes{}", parts.transport->name,
                                          static_cast<int>(nodes_of_data),
                                          measured_elsewhere(other_links, parts.known.link)));
    }
    parts.evidence = weaker(parts.evidence, network);
    // The user's own measurements inside a node say nothing about the network between nodes.
    const bool measured =
        std::ranges::any_of(parts.transport->figures, [](const auto& figure) { return from_here(figure.second); });
    parts.within_data = parts.within_data && measured && fabric.node_count() <= nodes_of_data;
}

}  // namespace

std::string_view inside_of(const Fabric& fabric) {
    const NodeTemplate& node = fabric.node();
    switch (node.nvlink) {
        case NvlinkShape::nvswitch: return "nvswitch";
        case NvlinkShape::mesh:
            return node.gpu.nvlinks == 0 ? "bridge" : "mesh";  // a card has NVLink only through a bridge
        case NvlinkShape::none: break;
    }
    const bool crosses = nccl::locality(node, fabric.gpus_per_node()).crosses_cpus;
    return crosses || !node.peer_to_peer ? "pcie-host" : "pcie";
}

CostParts cost_parts(const Catalog& catalog, const Fabric& fabric, const nccl::Version& version,
                     const LibrarySpec& library, bool gpu_direct, std::string_view inside) {
    const NodeTemplate& node = fabric.node();
    inside = inside.empty() ? inside_of(fabric) : inside;
    CostParts parts;
    parts.known.gpu = node.gpu.name;
    parts.known.link = fabric.node_count() > 1 ? fabric.port().name : "";
    parts.known.sites = sites_by_dataset(catalog);
    const KernelGpu gpu = kernel_gpu(catalog, node.gpu);
    parts.kernel = &nearest_kernel(catalog, gpu, inside, version);
    parts.nvls = &nearest_kernel(catalog, gpu, "nvswitch", version);
    parts.kernels = first_of(catalog, "kernel", "nccl-kernels");
    parts.launch = first_of(catalog, "launch", "nccl-tests");
    parts.host = paced_host(catalog, node);
    parts.windows = first_of(catalog, "kernel", "nccl-windows");
    parts.msccl = first_of(catalog, "kernel", "msccl");
    parts.intervals = first_of(catalog, "interval", "forecast-intervals");
    const int far = distance(*parts.kernel, gpu, inside, version);
    parts.evidence = far == 0    ? Evidence::same_gpu_era_fabric
                     : far < 100 ? Evidence::same_family
                                 : Evidence::formula_only;
    const double gpus = fabric.gpus_per_node();
    const double gpus_of_data = parts.kernel->number_or("data.gpus", 1);
    parts.evidence = weaker(parts.evidence, by_reach(gpus, gpus_of_data));
    parts.within_data = gpus <= gpus_of_data;
    const std::string measured_on = parts.known.other_systems(*parts.kernel);
    if (!measured_on.empty()) { parts.evidence = weaker(parts.evidence, Evidence::same_family); }
    if (parts.evidence != Evidence::same_gpu_era_fabric) {
        parts.notes.push_back(fmt::format("kernel costs from {}, nearest data {} GPUs a node{}", parts.kernel->name,
                                          static_cast<int>(gpus_of_data),
                                          measured_elsewhere(measured_on, parts.known.gpu)));
    }
    if (fabric.node_count() > 1) { add_network(catalog, fabric, library, gpu_direct, parts); }
    const std::string kept = kept_here(parts);
    if (!kept.empty()) {
        parts.notes.push_back("what was measured here does not tell " + kept + ": as in the catalogue");
    }
    return parts;
}

Trust CostParts::of(const Part& part, const Figure& figure) const {
    if (!from_here(figure)) { return known.told(part, figure, evidence); }
    // On systems larger than the measured one, the user's own constants are only as good as those of a similar system.
    const Evidence own = within_data ? Evidence::measured_here : weaker(evidence, Evidence::same_gpu_era_fabric);
    return {own, own};
}

const Figure& FigureLog::read(const Part& part, std::string_view figure) {
    const Figure& found = part.figure(figure);
    read_.insert_or_assign({part.name, std::string(figure)}, Read{&part, &found});
    return found;
}

std::vector<FigureUsed> FigureLog::figures() const {
    std::vector<FigureUsed> list;
    for (const auto& [name, read] : read_) {
        const Figure& figure = *read.figure;
        list.push_back({.part = name.first,
                        .figure = name.second,
                        .unit = figure.unit,
                        .origin = std::string(to_string(figure.origin)),
                        .source = fmt::format("{}", fmt::join(figure.source, ", ")),
                        .value = figure.value.at(0),
                        .low80 = figure.low80,
                        .high80 = figure.high80});
    }
    return list;
}

double FigureReader::read(const Part& part, std::string_view figure) {
    const Figure& found = log_.read(part, figure);
    const double value = found.value.at(0);
    if (&found != moved_) { return value; }
    const bool high = end_ == End::high;
    if (found.high80 > found.low80) { return high ? found.high80 : found.low80; }
    return high ? 1.2 * value : value / 1.2;
}

std::vector<std::pair<const Figure*, Trust>> FigureReader::trust() const {
    std::vector<std::pair<const Figure*, Trust>> list;
    for (const auto& [name, read] : log_.all()) { list.emplace_back(read.figure, parts_.of(*read.part, *read.figure)); }
    return list;
}

}  // namespace fabricast::inline collectives
