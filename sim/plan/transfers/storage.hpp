#pragma once
// Drives as ends of data paths: what they deliver, and how they are named ("node0.nvme3").

#include "sim/plan/transfers/places.hpp"

namespace fabricast {

bool is_drive(const PathRequest& request, DeviceId device);

// The drive end, and whether bytes come from it. Nothing where neither end is a drive or both are.
struct DriveEnd {
    DeviceId drive{}, other{};
    bool reads = true;
};
std::optional<DriveEnd> drive_end(const PathRequest& request);

// Limits a leg to what the drive delivers and adds its access time.
void add_drive(const PathRequest& request, const DriveEnd& end, DataPath& path, Leg& leg);

}  // namespace fabricast
