#include "sim/plan/transfers/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/pcie.hpp"

namespace fabricast::inline transfers {

namespace {

// The latency of a path; empty if there is none.
std::optional<Duration> distance(const Fabric& fabric, const PathQuery& query) {
    const auto path = path_between(fabric, query);
    return path ? std::optional(path->latency) : std::nullopt;
}

// Of the devices or adapters [first, first + count) the nearest by `latency` or, for `far`, the farthest; the first of
// several equal ones. Empty if none has a latency.
template <class Latency>
std::optional<std::uint32_t> placed(std::uint32_t first, std::uint32_t count, NumaPlace place, const Latency& latency) {
    std::optional<std::uint32_t> best;
    std::optional<Duration> of_best;
    for (std::uint32_t i = first; i < first + count; ++i) {
        const std::optional<Duration> way = latency(i);
        if (way && (!of_best || (place == NumaPlace::near ? *way < *of_best : *way > *of_best))) {
            best = i;
            of_best = way;
        }
    }
    return best;
}

// The PCIe path of an adapter's own DMA; it may not reach the device, as between trays of a rack.
PathQuery to_adapter(const Fabric& fabric, DeviceId device, std::uint32_t nic) {
    const PathKind over = is_gpu(fabric, device) ? PathKind::p2p : PathKind::automatic;
    return query(device, fabric.nic(fabric.node_of(device), nic), over);
}

const Part* part_of(const PathRequest& r, const NodeDevice& device) {
    return device.part.empty() ? nullptr : r.figures.catalog().find(device.part);
}

// Whether a link is a cable to a device of this kind.
auto leads_to(const Fabric& fabric, DeviceKind kind) {
    return [&fabric, kind](LinkId link) {
        const LinkEnds ends = fabric.ends(link);
        return !ends.resource && fabric.kind(ends.to) == kind;
    };
}

// Rate of a DMA engine that reads over the path's PCIe links, in payload bytes per second: completions (figure
// read.completion) carry less payload than writes, by which links are rated. Infinite if the path crosses no PCIe.
double read_rate(const PathRequest& r, const Path& path) {
    double least = std::numeric_limits<double>::infinity();
    for (const LinkId link : path.span()) {
        if (r.fabric.link(link).cls == LinkClass::pcie && !r.fabric.ends(link).resource) {
            least = std::min(least, r.fabric.link(link).capacity);
        }
    }
    const Part* host = cpu_part(r);
    const bool own = host != nullptr && host->has("read.completion");
    const Bytes completion = rounded_bytes(r.figures.number(own ? host->name : "dma", "read.completion"));
    const Bytes write = rounded_bytes(r.figures.number("dma", "write.payload"));
    constexpr int tlp_era = 5;  // PCIe generation before flits; the loss is about the same with flits
    return least * pcie::efficiency(completion, pcie::completion_overhead(tlp_era)) /
           pcie::efficiency(write, pcie::write_overhead(tlp_era));
}

const Part* drive_part(const PathRequest& r, DeviceId device) {
    const std::string full = name_of(r, device);
    const auto& devices = r.fabric.node().devices;
    const auto found = std::ranges::find(devices, full.substr(full.find('.') + 1), &NodeDevice::name);
    const Part* part = found == devices.end() ? nullptr : part_of(r, *found);
    return part != nullptr && part->kind == "drive" ? part : nullptr;
}

}  // namespace

bool is_gpu(const Fabric& fabric, DeviceId device) { return fabric.kind(device) == DeviceKind::gpu; }
bool is_host(const Fabric& fabric, DeviceId device) { return fabric.kind(device) == DeviceKind::host_memory; }

bool same_node(const PathRequest& r) { return r.fabric.node_of(r.from) == r.fabric.node_of(r.to); }

std::optional<Path> path_between(const Fabric& fabric, const PathQuery& query) {
    try {
        return fabric.path(query);
    } catch (const Unreachable&) { return std::nullopt; }
}

PathQuery query(DeviceId from, DeviceId to, PathKind kind) { return {.src = from, .dst = to, .kind = kind}; }

std::optional<DeviceId> memory_beside(const Fabric& fabric, DeviceId device, NumaPlace place) {
    if (is_host(fabric, device)) { return device; }
    const std::uint32_t node = fabric.wired_node_of(device), first = fabric.first_device(node);
    const auto latency = [&](std::uint32_t d) {
        return is_host(fabric, DeviceId{d}) ? distance(fabric, query(device, DeviceId{d})) : std::nullopt;
    };
    const auto found = placed(first, fabric.first_device(node + 1) - first, place, latency);
    return found ? std::optional(DeviceId{*found}) : std::nullopt;
}

std::uint16_t adapter_of(const Fabric& fabric, DeviceId device, NumaPlace place) {
    if (fabric.kind(device) == DeviceKind::nic) { return static_cast<std::uint16_t>(fabric.local_index(device)); }
    if (is_gpu(fabric, device) && place == NumaPlace::near) { return fabric.nearest_nic(device); }
    const auto latency = [&](std::uint32_t nic) { return distance(fabric, to_adapter(fabric, device, nic)); };
    return static_cast<std::uint16_t>(placed(0, fabric.nics_per_node(), place, latency).value_or(0));
}

bool has_farther_adapter(const Fabric& fabric, DeviceId device) {
    const auto at = [&](NumaPlace place) {
        return distance(fabric, to_adapter(fabric, device, adapter_of(fabric, device, place)));
    };
    return at(NumaPlace::far) > at(NumaPlace::near);
}

std::optional<DeviceId> cpu_of(const Fabric& fabric, DeviceId memory) {
    const std::uint32_t node = fabric.wired_node_of(memory);
    for (std::uint32_t d = fabric.first_device(node); d < fabric.first_device(node + 1); ++d) {
        if (fabric.kind(DeviceId{d}) == DeviceKind::cpu &&
            fabric.local_index(DeviceId{d}) == fabric.local_index(memory)) {
            return DeviceId{d};
        }
    }
    return std::nullopt;
}

const Part* cpu_part(const PathRequest& r) {
    for (const NodeDevice& device : r.fabric.node().devices) {
        if (const Part* part = part_of(r, device); part != nullptr && part->kind == "cpu") { return part; }
    }
    return nullptr;
}

double peer_limit(const CpuSpec& cpu, bool reads) {
    const double limit = reads ? cpu.p2p_read_limit : cpu.p2p_write_limit;
    return limit > 0 ? limit : std::numeric_limits<double>::infinity();
}

int bridges(const Fabric& fabric, const Path& path) {
    return static_cast<int>(std::ranges::count_if(path.span(), leads_to(fabric, DeviceKind::cpu)));
}

bool passes(const Fabric& fabric, const Path& path, DeviceKind kind) {
    const auto links = path.span();
    return std::ranges::any_of(links.first(links.empty() ? 0 : links.size() - 1), leads_to(fabric, kind));
}

bool has_class(const Fabric& fabric, const Path& path, LinkClass cls) {
    return std::ranges::any_of(path.span(), [&](LinkId link) { return fabric.link(link).cls == cls; });
}

void cut_into_pieces(const PathRequest& r, std::string_view part, DataPath& path) {
    path.piece = rounded_bytes(r.figures.number(part, "piece"));
    path.slots = static_cast<int>(r.figures.number(part, "slots"));
}

std::string name_of(const PathRequest& r, DeviceId device) { return r.fabric.device_name(device); }

Leg copy_engine(const PathRequest& r, DeviceId from, DeviceId to, std::string_view memory) {
    const bool reads = is_gpu(r.fabric, to);
    Leg leg{.what = fmt::format("copy engine of {} {} {}", name_of(r, reads ? to : from), reads ? "reads" : "writes",
                                memory),
            .paths = {query(from, to)}};
    if (reads) { leg.limit(read_rate(r, r.fabric.path(leg.paths.front())), "completions of DMA reads"); }
    return leg;
}

Leg core_copy(const PathRequest& r, DeviceId memory, std::string what, double rate, std::string why) {
    const DeviceId cpu = *cpu_of(r.fabric, memory);
    return {.what = std::move(what),
            .paths = {query(memory, cpu), query(cpu, memory)},
            .rate_cap = rate,
            .cap = std::move(why),
            .dma = false};
}

void add_translation(const PathRequest& r, DataPath& path) {
    if (r.host.iommu && !r.host.ats) {
        path.latency.push_back(r.figures.latency("IOMMU translates (hit)", "host-conditions", "iommu.hit"));
    }
}

bool is_drive(const PathRequest& r, DeviceId device) { return drive_part(r, device) != nullptr; }

std::optional<DriveEnd> drive_end(const PathRequest& r) {
    const bool from = is_drive(r, r.from);
    if (from == is_drive(r, r.to)) { return std::nullopt; }
    return from ? DriveEnd{r.from, r.to, true} : DriveEnd{r.to, r.from, false};
}

void add_drive(const PathRequest& r, const DriveEnd& end, DataPath& path, Leg& leg) {
    const Part& drive = *drive_part(r, end.drive);
    leg.limit(r.figures.number(drive.name, end.reads ? "read.rate" : "write.rate"),
              drive.name + (end.reads ? " reads" : " writes"));
    path.latency.push_back(r.figures.latency("access of " + name_of(r, end.drive), drive.name,
                                             end.reads ? "read.latency" : "write.latency"));
}

}  // namespace fabricast::inline transfers
