#include "sim/plan/collectives/costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "sim/plan/collectives/nccl/locality.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 7> arch_words{"pascal", "volta",  "turing",   "ampere",
                                                     "ada",    "hopper", "blackwell"};

int arch_index(std::string_view word) {
    return static_cast<int>(std::find(arch_words.begin(), arch_words.end(), word) - arch_words.begin());
}

bool lists(const Part& part, std::string_view path, std::string_view item) {
    const std::string all = " " + part.word_or(path, "") + " ";
    return all.find(" " + std::string(item) + " ") != std::string::npos;
}

// How far a kernel part's data are from this system: GPU generation counts most, NCCL version least.
int distance(const Part& part, GpuArch arch, std::string_view inside, const nccl::Version& version) {
    const int generations = std::abs(arch_index(part.word("arch")) - static_cast<int>(arch));
    const bool same_inside = part.word("inside") == inside;
    const bool related = part.word("inside").starts_with("pcie") == inside.starts_with("pcie");
    const bool newer = nccl::parse_version(part.word("since")) > version;
    const bool ended = part.text.contains("before") && nccl::parse_version(part.word("before")) <= version;
    return 100 * generations + (same_inside ? 0 : related ? 10 : 50) + (newer || ended ? 1 : 0);
}

const Part& nearest_kernel(const Catalog& catalog, GpuArch arch, std::string_view inside,
                           const nccl::Version& version) {
    const Part* best = nullptr;
    for (const Part* part : catalog.of_kind("kernel")) {
        if (!part->text.contains("arch")) {
            continue;  // the network part
        }
        if (best == nullptr || distance(*part, arch, inside, version) < distance(*best, arch, inside, version)) {
            best = part;
        }
    }
    if (best == nullptr) {
        throw PlanError("the catalogue holds no kernel costs (parts of kind 'kernel')");
    }
    return *best;
}

std::string family_word(LinkFamily family) {
    switch (family) {
        case LinkFamily::infiniband:
            return "infiniband";
        case LinkFamily::ethernet:
            return "ethernet";
        case LinkFamily::slingshot:
            return "slingshot";
        case LinkFamily::efa:
            return "efa";
        default:
            return "other";
    }
}

struct Transported {
    const Part* part = nullptr;
    Evidence evidence = Evidence::same_gpu_era_fabric;
};

using Parts = std::vector<const Part*>;

// The part with that name, with or without "transport-"; null when there is none.
const Part* named_transport(const Parts& all, const std::string& asked) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Part* part) {
        return part->name == asked || part->name == "transport-" + asked;
    });
    return found == all.end() ? nullptr : *found;
}

// The part of the family (of any family if empty) that fits best: it should list the link and reach GPU memory as
// asked; listing the link counts more.
Transported fitting_transport(const Parts& all, const std::string& family, const std::string& link, bool gpu_direct) {
    Transported best;
    int best_score = -1;
    for (const Part* part : all) {
        if (!family.empty() && part->word("family") != family) {
            continue;
        }
        const bool direct = (part->word_or("gpu_direct", "yes") == "yes") == gpu_direct;
        const int score = (lists(*part, "links", link) ? 2 : 0) + (direct ? 1 : 0);
        if (score > best_score) {
            best_score = score;
            best = {part, score == 3 ? Evidence::same_gpu_era_fabric : Evidence::same_family};
        }
    }
    return best;
}

// `asked` names a part or a family ("infiniband"). If it is empty, the fabric's link decides, then the link's family;
// else InfiniBand is assumed.
Transported nearest_transport(const Catalog& catalog, const LinkSpec& link, const std::string& asked, bool gpu_direct) {
    const Parts all = catalog.of_kind("transport");
    if (!asked.empty()) {
        if (const Part* named = named_transport(all, asked)) {
            return {named, Evidence::same_gpu_era_fabric};
        }
        const Transported family = fitting_transport(all, asked, link.name, gpu_direct);
        if (family.part == nullptr) {
            std::string known;
            for (const Part* part : all) {
                known += (known.empty() ? "" : ", ") + part->name;
            }
            throw PlanError("no network transport '" + asked + "' in the catalogue (it has " + known + ")");
        }
        return family;
    }
    const Transported by_link = fitting_transport(all, "", link.name, gpu_direct);
    if (by_link.part != nullptr && lists(*by_link.part, "links", link.name)) {
        return by_link;
    }
    const Transported by_family = fitting_transport(all, family_word(link.family), link.name, gpu_direct);
    if (by_family.part != nullptr) {
        return by_family;
    }
    const Transported far = fitting_transport(all, "infiniband", link.name, gpu_direct);
    if (far.part == nullptr) {
        throw PlanError("the catalogue holds no network costs (parts of kind 'transport')");
    }
    return {far.part, Evidence::formula_only};
}

Evidence weaker(Evidence a, Evidence b) { return std::max(a, b); }

std::map<std::string_view, const Part*> sites_by_dataset(const Catalog& catalog) {
    std::map<std::string_view, const Part*> sites;
    for (const Part* site : catalog.of_kind("site")) {
        std::string_view left = site->word("datasets");
        while (!left.empty()) {
            const std::string_view name = left.substr(0, left.find(' '));
            sites.emplace(name, site);
            left.remove_prefix(std::min(left.size(), name.size() + 1));
        }
    }
    return sites;
}

bool from_here(const Figure& figure) {
    return std::any_of(figure.source.begin(), figure.source.end(),
                       [](const std::string& source) { return source.starts_with(measured_here_prefix); });
}

// Which word of a site must equal the system's for its data to count as data of the same system: the GPU for a kernel
// part, the link for a transport. Empty: every site counts, as for what NCCL adds on any network and for launches.
std::string_view told_on(const Part& part) {
    return part.kind == "transport" ? "link" : part.kind == "kernel" && part.text.contains("arch") ? "gpu" : "";
}

struct Tellers {
    std::set<std::string_view> same, any;  // sites with the system's own GPU or link; all sites
};

Tellers tellers(const CostParts& parts, const Part& part, const Figure& figure) {
    const std::string_view what = told_on(part);
    Tellers found;
    for (const std::string& dataset : figure.source) {
        const auto site = parts.sites.find(dataset);
        if (site == parts.sites.end()) {
            continue;
        }
        const std::string& name = site->second->word("site");
        found.any.insert(name);
        const std::string& own = what == "gpu" ? parts.gpu : parts.link;
        if (what.empty() || site->second->word_or(what, "") == own) {
            found.same.insert(name);
        }
    }
    return found;
}

// The GPUs or links that the part's data come from; empty if any of the data are from the system's own.
std::string other_systems(const CostParts& parts, const Part& part) {
    const std::string_view what = told_on(part);
    std::set<std::string> others;
    for (const auto& [name, figure] : part.figures) {
        if (from_here(figure) || !tellers(parts, part, figure).same.empty()) {
            return "";
        }
        for (const std::string& dataset : figure.source) {
            if (const auto site = parts.sites.find(dataset); site != parts.sites.end()) {
                others.insert(site->second->word_or(what, ""));
            }
        }
    }
    std::string list;
    for (const std::string& other : others) {
        list += (list.empty() ? "" : ", ") + other;
    }
    return list;
}

// Data up to size `largest` are good evidence up to twice that size, weaker evidence up to eight times, and none
// beyond.
Evidence by_reach(double wanted, double largest) {
    if (wanted <= 2 * largest) {
        return Evidence::same_gpu_era_fabric;
    }
    return wanted <= 8 * largest ? Evidence::same_family : Evidence::formula_only;
}

const Part* first_of(const Catalog& catalog, std::string_view kind, std::string_view name) {
    const Part* part = catalog.find(name);
    if (part == nullptr || part->kind != kind) {
        throw PlanError("the catalogue has no part '" + std::string(name) + "' of kind " + std::string(kind));
    }
    return part;
}

// Names the figures of a calibration's overlay that keep the catalogue's value.
std::string kept_here(const CostParts& parts) {
    std::string names;
    for (const Part* part : {parts.kernel, parts.network, parts.transport, parts.launch}) {
        if (part == nullptr) {
            continue;
        }
        for (const auto& [name, figure] : part->figures) {
            if (!figure.source.empty() && figure.source.front() == kept_here_source) {
                names += (names.empty() ? "" : ", ") + part->name + "/" + name;
            }
        }
    }
    return names;
}

}  // namespace

bool hardly_told(const Figure& figure) {
    return figure.origin == Origin::estimated && !figure.source.empty() && figure.source.front() == hardly_told_source;
}

std::string_view inside_of(const Fabric& fabric) {
    const NodeTemplate& node = fabric.node();
    switch (node.nvlink) {
        case NvlinkShape::nvswitch:
            return "nvswitch";
        case NvlinkShape::mesh:
            return node.gpu.nvlinks == 0 ? "bridge" : "mesh";  // a card has NVLink only through a bridge
        case NvlinkShape::none:
            break;
    }
    const bool crosses = nccl::locality(node, fabric.gpus_per_node()).crosses_cpus;
    return crosses || !node.peer_to_peer ? "pcie-host" : "pcie";
}

CostParts cost_parts(const Catalog& catalog, const Fabric& fabric, const nccl::Version& version,
                     const LibrarySpec& library, bool gpu_direct, std::string_view inside) {
    const NodeTemplate& node = fabric.node();
    inside = inside.empty() ? inside_of(fabric) : inside;
    CostParts parts;
    parts.gpu = node.gpu.name;
    parts.link = fabric.node_count() > 1 ? fabric.cluster().fabric.link.name : "";
    parts.sites = sites_by_dataset(catalog);
    parts.kernel = &nearest_kernel(catalog, node.gpu.arch, inside, version);
    parts.launch = first_of(catalog, "launch", "nccl-tests");
    parts.intervals = first_of(catalog, "interval", "forecast-intervals");
    const int far = distance(*parts.kernel, node.gpu.arch, inside, version);
    parts.evidence = far == 0    ? Evidence::same_gpu_era_fabric
                     : far < 100 ? Evidence::same_family
                                 : Evidence::formula_only;
    const double gpus = fabric.gpus_per_node();
    const double gpus_of_data = parts.kernel->number_or("data.gpus", 1);
    parts.evidence = weaker(parts.evidence, by_reach(gpus, gpus_of_data));
    parts.within_data = gpus <= gpus_of_data;
    const std::string measured_on = other_systems(parts, *parts.kernel);
    if (!measured_on.empty()) {
        parts.evidence = weaker(parts.evidence, Evidence::same_family);
    }
    if (parts.evidence != Evidence::same_gpu_era_fabric) {
        parts.notes.push_back("kernel costs from " + parts.kernel->name + ", nearest data " +
                              std::to_string(static_cast<int>(gpus_of_data)) + " GPUs a node" +
                              (measured_on.empty() ? "" : ", measured on " + measured_on + ", not on " + parts.gpu));
    }
    if (fabric.node_count() > 1) {
        parts.network = first_of(catalog, "kernel", "nccl-network");
        const Transported transport =
            nearest_transport(catalog, fabric.cluster().fabric.link, library.network_plugin, gpu_direct);
        parts.transport = transport.part;
        const double nodes_of_data = parts.transport->number_or("data.nodes", 1);
        const std::string other_links = other_systems(parts, *parts.transport);
        Evidence network = weaker(transport.evidence, by_reach(fabric.node_count(), nodes_of_data));
        if (!other_links.empty()) {
            network = weaker(network, Evidence::same_family);
        }
        if (network != Evidence::same_gpu_era_fabric) {
            parts.notes.push_back(
                "network costs from " + parts.transport->name + ", nearest data " +
                std::to_string(static_cast<int>(nodes_of_data)) + " nodes" +
                (other_links.empty() ? "" : ", measured on " + other_links + ", not on " + parts.link));
        }
        parts.evidence = weaker(parts.evidence, network);
        // The user's own measurements inside a node say nothing about the network between nodes.
        const bool measured =
            std::ranges::any_of(parts.transport->figures, [](const auto& figure) { return from_here(figure.second); });
        parts.within_data = parts.within_data && measured && fabric.node_count() <= nodes_of_data;
    }
    const std::string kept = kept_here(parts);
    if (!kept.empty()) {
        parts.notes.push_back("what was measured here does not tell " + kept + ": as in the catalogue");
    }
    return parts;
}

Trust CostParts::of(const Part& part, const Figure& figure) const {
    const auto both = [&](Evidence at_best) { return Trust{weaker(evidence, at_best), weaker(evidence, at_best)}; };
    if (from_here(figure)) {
        // On systems larger than the measured one, the user's own constants are only as good as those of a similar
        // system.
        return within_data ? Trust{Evidence::measured_here, Evidence::measured_here}
                           : both(Evidence::same_gpu_era_fabric);
    }
    if (figure.origin == Origin::spec || figure.origin == Origin::vendor) {
        return both(Evidence::same_gpu_era_fabric);
    }
    if (figure.origin == Origin::estimated && !hardly_told(figure)) {
        return both(Evidence::same_family);
    }
    const Tellers told = tellers(*this, part, figure);
    Trust trust = both(told.same.size() > 1                     ? Evidence::same_gpu_era_fabric
                       : told.same.empty() && !told.any.empty() ? Evidence::same_family
                                                                : Evidence::one_site);
    if (hardly_told(figure)) {
        trust.evidence = weaker(trust.evidence, Evidence::same_family);
    }
    return trust;
}

double FigureReader::read(const Part& part, std::string_view figure) {
    const Figure& found = part.figure(figure);
    used_.insert_or_assign({part.name, std::string(figure)}, Used{&part, &found});
    const double value = found.value.at(0);
    if (&found != moved_) {
        return value;
    }
    const bool high = end_ == End::high;
    if (found.high80 > found.low80) {
        return high ? found.high80 : found.low80;
    }
    return high ? 1.2 * value : value / 1.2;
}

std::vector<std::pair<const Figure*, Trust>> FigureReader::trust() const {
    std::vector<std::pair<const Figure*, Trust>> list;
    list.reserve(used_.size());
    for (const auto& [name, used] : used_) {
        list.emplace_back(used.figure, parts_.of(*used.part, *used.figure));
    }
    return list;
}

std::vector<FigureUsed> FigureReader::figures() const {
    constexpr std::array<std::string_view, 5> origins{"spec", "vendor", "measured", "fitted", "estimated"};
    std::vector<FigureUsed> list;
    for (const auto& [name, used] : used_) {
        const Figure* figure = used.figure;
        std::string sources;
        for (const std::string& source : figure->source) {
            sources += (sources.empty() ? "" : ", ") + source;
        }
        list.push_back({.part = name.first,
                        .figure = name.second,
                        .unit = figure->unit,
                        .origin = std::string(origins[static_cast<std::size_t>(figure->origin)]),
                        .source = sources,
                        .value = figure->value.at(0),
                        .low80 = figure->low80,
                        .high80 = figure->high80});
    }
    return list;
}

Interval interval(const FigureReader& ledger, Evidence misses_like, double bytes) {
    constexpr std::array<const char*, 5> words{"measured-here", "same-system", "same-system", "same-family",
                                               "formula-only"};
    const char* regime = bytes < 65536 ? ".small" : bytes < 16.0 * (1 << 20) ? ".middle" : ".large";
    const char* scope = misses_like == Evidence::measured_here ? ""
                        : ledger.parts().transport == nullptr  ? ".inside"
                                                               : ".between";
    const Figure& ratio =
        ledger.parts().intervals->figure(std::string(words[static_cast<std::size_t>(misses_like)]) + scope + regime);
    return {ratio.low80 - 1, ratio.high80 - 1};
}

}  // namespace fabricast
