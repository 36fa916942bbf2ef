#include "sim/plan/transfers/storage.hpp"

#include <algorithm>

namespace fabricast {

namespace {

const Part* part_of(const PathRequest& r, DeviceId device) {
    const std::string full = r.fabric.device_name(device);
    const std::string local = full.substr(full.find('.') + 1);
    for (const NodeDevice& d : r.fabric.node().devices) {
        if (d.name == local) {
            return d.part.empty() ? nullptr : r.figures.catalog().find(d.part);
        }
    }
    return nullptr;
}

}  // namespace

bool is_drive(const PathRequest& r, DeviceId device) {
    const Part* part = part_of(r, device);
    return part != nullptr && part->kind == "drive";
}

std::optional<DriveEnd> drive_end(const PathRequest& r) {
    const bool from = is_drive(r, r.from);
    if (from == is_drive(r, r.to)) {
        return std::nullopt;
    }
    return from ? DriveEnd{r.from, r.to, true} : DriveEnd{r.to, r.from, false};
}

void add_drive(const PathRequest& r, const DriveEnd& end, DataPath& path, Leg& leg) {
    const Part& drive = *part_of(r, end.drive);
    const double rate = r.figures.number(drive.name, end.reads ? "read.rate" : "write.rate");
    if (rate < leg.rate_cap) {
        leg.rate_cap = rate;
        leg.cap = drive.name + (end.reads ? " reads" : " writes");
    }
    path.latency.push_back(r.figures.latency("access of " + name_of(r, end.drive), drive.name,
                                             end.reads ? "read.latency" : "write.latency"));
}

}  // namespace fabricast
