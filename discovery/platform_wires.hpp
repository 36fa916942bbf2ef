#pragma once
// The cables of a SimGrid platform: hosts at switches, switches at switches, and whole clusters.

#include <cstdint>
#include <string>
#include <vector>

#include "base/xml.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery {

class PlatformWires {
public:
    // Port `port` of a host at a switch; both are new, or the same as before.
    void add_host(const std::string& host, const std::string& to, std::int64_t megabits, const SourceLocation& at,
                  int port = 0);
    void join(const std::string& a, const std::string& b, std::int64_t megabits, int cables, const SourceLocation& at);
    // The hosts of a <cluster> on its `topology`. Returns the switch that stands for it where others join it. Throws
    // InputError where its topo_parameters are not those of its topology or of as many hosts.
    std::string add_cluster(const xml::Element& cluster, const std::vector<std::string>& hosts, std::int64_t megabits);

    Observations finish() { return wired_.finish(); }

private:
    WiredDevices wired_;
    std::size_t ports_ = 0;
};

}  // namespace fabricast::inline discovery
