#include "sim/plan/transfers/places.hpp"

#include <algorithm>

#include "models/pcie.hpp"

namespace fabricast {

bool is_gpu(const Fabric& fabric, DeviceId device) { return fabric.kind(device) == DeviceKind::gpu; }
bool is_host(const Fabric& fabric, DeviceId device) { return fabric.kind(device) == DeviceKind::host_memory; }

bool same_node(const PathRequest& r) { return r.fabric.node_of(r.from) == r.fabric.node_of(r.to); }

std::optional<Path> path_between(const Fabric& fabric, const PathQuery& query) {
    try {
        return fabric.path(query);
    } catch (const Unreachable&) {
        return std::nullopt;
    }
}

PathQuery query(DeviceId from, DeviceId to, PathKind kind) {
    PathQuery q;
    q.src = from;
    q.dst = to;
    q.kind = kind;
    return q;
}

std::optional<DeviceId> memory_beside(const Fabric& fabric, DeviceId device, NumaPlace place) {
    if (is_host(fabric, device)) {
        return device;
    }
    const std::uint32_t first = fabric.node_of(device) * fabric.node_device_count();
    std::optional<DeviceId> best;
    Duration best_latency;
    for (std::uint32_t d = first; d < first + fabric.node_device_count(); ++d) {
        if (!is_host(fabric, DeviceId{d})) {
            continue;
        }
        const auto path = path_between(fabric, query(device, DeviceId{d}));
        const bool better =
            path && (!best || (place == NumaPlace::near ? path->latency < best_latency : path->latency > best_latency));
        if (better) {
            best = DeviceId{d};
            best_latency = path->latency;
        }
    }
    return best;
}

namespace {

// Latency of the PCIe path of an adapter's own DMA; empty if it cannot reach the device, as between trays of a rack.
std::optional<Duration> distance(const Fabric& fabric, DeviceId device, std::uint16_t nic) {
    const PathKind over = is_gpu(fabric, device) ? PathKind::p2p : PathKind::automatic;
    const auto path = path_between(fabric, query(device, fabric.nic(fabric.node_of(device), nic), over));
    return path ? std::optional(path->latency) : std::nullopt;
}

}  // namespace

std::uint16_t adapter_of(const Fabric& fabric, DeviceId device, NumaPlace place) {
    if (fabric.kind(device) == DeviceKind::nic) {
        return static_cast<std::uint16_t>(fabric.local_index(device));
    }
    if (is_gpu(fabric, device) && place == NumaPlace::near) {
        return fabric.nearest_nic(fabric.local_index(device));
    }
    const auto nics = static_cast<std::uint16_t>(fabric.nics_per_node());
    std::uint16_t best = 0;
    std::optional<Duration> of_best;
    for (std::uint16_t nic = 0; nic < nics; ++nic) {
        const auto way = distance(fabric, device, nic);
        if (way && (!of_best || (place == NumaPlace::near ? *way < *of_best : *way > *of_best))) {
            best = nic;
            of_best = way;
        }
    }
    return best;
}

bool has_farther_adapter(const Fabric& fabric, DeviceId device) {
    return distance(fabric, device, adapter_of(fabric, device, NumaPlace::far)) >
           distance(fabric, device, adapter_of(fabric, device, NumaPlace::near));
}

std::optional<DeviceId> cpu_of(const Fabric& fabric, DeviceId memory) {
    const std::uint32_t first = fabric.node_of(memory) * fabric.node_device_count();
    for (std::uint32_t d = first; d < first + fabric.node_device_count(); ++d) {
        if (fabric.kind(DeviceId{d}) == DeviceKind::cpu &&
            fabric.local_index(DeviceId{d}) == fabric.local_index(memory)) {
            return DeviceId{d};
        }
    }
    return std::nullopt;
}

const Part* cpu_part(const PathRequest& r) {
    for (const NodeDevice& device : r.fabric.node().devices) {
        const Part* part = device.part.empty() ? nullptr : r.figures.catalog().find(device.part);
        if (part != nullptr && part->kind == "cpu") {
            return part;
        }
    }
    return nullptr;
}

int bridges(const Fabric& fabric, const Path& path) {
    int crossed = 0;
    for (const LinkId link : path.span()) {
        const LinkEnds ends = fabric.ends(link);
        crossed += !ends.resource && fabric.kind(ends.to) == DeviceKind::cpu ? 1 : 0;
    }
    return crossed;
}

bool passes(const Fabric& fabric, const Path& path, DeviceKind kind) {
    const auto links = path.span();
    return std::any_of(links.begin(), links.empty() ? links.end() : links.end() - 1, [&](LinkId link) {
        const LinkEnds ends = fabric.ends(link);
        return !ends.resource && fabric.kind(ends.to) == kind;
    });
}

double narrowest(const Fabric& fabric, const Path& path) {
    double least = std::numeric_limits<double>::infinity();
    for (const LinkId link : path.span()) {
        least = std::min(least, fabric.link(link).capacity);
    }
    return least;
}

bool has_class(const Fabric& fabric, const Path& path, LinkClass cls) {
    const auto links = path.span();
    return std::any_of(links.begin(), links.end(), [&](LinkId link) { return fabric.link(link).cls == cls; });
}

double read_rate(const PathRequest& r, const Path& path) {
    double narrowest = std::numeric_limits<double>::infinity();
    for (const LinkId link : path.span()) {
        if (r.fabric.link(link).cls == LinkClass::pcie && !r.fabric.ends(link).resource) {
            narrowest = std::min(narrowest, r.fabric.link(link).capacity);
        }
    }
    const Part* host = cpu_part(r);
    const bool own = host != nullptr && host->has("read.completion");
    const Bytes completion = rounded_bytes(r.figures.number(own ? host->name : "dma", "read.completion"));
    const Bytes write = rounded_bytes(r.figures.number("dma", "write.payload"));
    constexpr int tlp_era = 5;  // PCIe generation before flits; the loss is about the same with flits
    return narrowest * pcie::efficiency(completion, pcie::completion_overhead(tlp_era)) /
           pcie::efficiency(write, pcie::write_overhead(tlp_era));
}

void cut_into_pieces(const PathRequest& r, std::string_view part, DataPath& path) {
    path.piece = rounded_bytes(r.figures.number(part, "piece"));
    path.slots = static_cast<int>(r.figures.number(part, "slots"));
}

std::string fabric_family(const PathRequest& r) {
    const FabricSpec& spec = r.fabric.cluster().fabric;
    if (spec.kind == FabricKind::none) {
        return "";
    }
    const Part* link = r.figures.catalog().find(spec.link.name);
    return link == nullptr ? "" : link->word_or("family", "");
}

std::string name_of(const PathRequest& r, DeviceId device) { return r.fabric.device_name(device); }

}  // namespace fabricast
