#pragma once
// Drives as ends of data paths: their rates, and their names ("node0.nvme3").

#include "sim/plan/transfers/places.hpp"

namespace fabricast {

bool is_drive(const PathRequest& request, DeviceId device);

// The end that is a drive, and whether bytes are read from it. Empty if neither end is a drive or both are.
struct DriveEnd {
    DeviceId drive{}, other{};
    bool reads = true;
};
std::optional<DriveEnd> drive_end(const PathRequest& request);

// Limits a leg to the drive's rate and adds its access time.
void add_drive(const PathRequest& request, const DriveEnd& end, DataPath& path, Leg& leg);

}  // namespace fabricast
