#pragma once
// What the readers of Ethernet tools and plans share: devices known by name, whose role follows from their ports.

#include <map>
#include <string>
#include <string_view>

#include "discovery/observation.hpp"

namespace fabricast::inline discovery {

class WiredDevices {
public:
    // Adds a cable and, if they are new, the devices at its ends.
    void add(const CableEnd& a, const CableEnd& b, std::int64_t megabits, const SourceLocation& at,
             const std::string& technology = {});
    // States what a device is. A role that is not a part of a fabric ("oob-switch", "mgmt", "exit") drops it, with its
    // cables.
    void state(std::string_view name, std::string_view role, const SourceLocation& at);
    void drop(const std::string& kind) { ++dropped_[kind]; }

    // Every cable once. Devices without a stated role get one by the names of their ports; where those say nothing, a
    // device with more cables than its neighbours is the switch.
    Observations finish();

private:
    struct Wired {
        DeviceSeen seen;
        int cables = 0, switch_ports = 0, host_ports = 0;
        bool dropped = false, beside_host = false;
    };
    Wired& device(std::string_view name, const SourceLocation& at);

    std::map<std::string, Wired> devices_;
    std::vector<CableSeen> cables_;
    std::map<std::string, std::uint64_t> dropped_;
};

}  // namespace fabricast::inline discovery
