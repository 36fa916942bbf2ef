#include "sim/engines/simgrid/platform.hpp"

#include <simgrid/version.h>

#if __has_include(<simgrid/kernel/Timer.hpp>)
#include <simgrid/kernel/Timer.hpp>
#else
#include <simgrid/simix.hpp>
#endif

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace fabricast::inline simgrid_engine {

namespace s4u = simgrid::s4u;

namespace {

#if SIMGRID_VERSION >= 40000
s4u::NetZone* make_zone() { return s4u::Engine::get_instance()->get_netzone_root()->add_netzone_full("fabricast"); }
s4u::Host* add_host(s4u::NetZone* zone, const std::string& name) { return zone->add_host(name, 1e9); }
s4u::Link* new_link(s4u::NetZone* zone, const std::string& name, double rate) { return zone->add_link(name, rate); }
#else
s4u::NetZone* make_zone() { return s4u::create_full_zone("fabricast"); }
s4u::Host* add_host(s4u::NetZone* zone, const std::string& name) { return zone->create_host(name, 1e9); }
s4u::Link* new_link(s4u::NetZone* zone, const std::string& name, double rate) { return zone->create_link(name, rate); }
#endif

s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bytes_per_second, double latency) {
    return new_link(zone, name, bytes_per_second)->set_latency(latency)->seal();
}

#if SIMGRID_VERSION >= 33300
constexpr const char* precision = "--cfg=precision/timing:1e-12";
void add_route(s4u::NetZone* zone, s4u::Host* from, s4u::Host* to, const std::vector<s4u::LinkInRoute>& links) {
    zone->add_route(from, to, links, false);
}
#else
constexpr const char* precision = "--cfg=surf/precision:1e-12";
void add_route(s4u::NetZone* zone, s4u::Host* from, s4u::Host* to, const std::vector<s4u::LinkInRoute>& links) {
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, links, false);
}
#endif

}  // namespace

std::vector<std::string> arguments(bool lazy) {
    return {"fabricast",
            "--cfg=network/model:CM02",
            "--cfg=network/crosstraffic:0",
            "--cfg=network/weight-S:0",
            "--cfg=network/TCP-gamma:1e30",
            std::string("--cfg=network/optim:") + (lazy ? "Lazy" : "Full"),
            precision,
            "--log=root.thres:critical"};
}

std::vector<Endpoints> make_platform(const Fabric& fabric, const std::vector<Connection>& connections, bool latency) {
    s4u::NetZone* zone = make_zone();
    std::map<LinkId, s4u::Link*> links;
    std::map<std::pair<DeviceId, std::uint32_t>, s4u::Host*> hosts;  // a device has one host per different path
    std::map<std::pair<DeviceId, DeviceId>, std::vector<std::vector<LinkId>>> paths;
    const auto host = [&](DeviceId device, std::uint32_t namesake) {
        s4u::Host*& found = hosts[{device, namesake}];
        if (found == nullptr) { found = add_host(zone, fabric.device_name(device) + "/" + std::to_string(namesake)); }
        return found;
    };
    std::vector<Endpoints> endpoints;
    for (const Connection& connection : connections) {
        const Path path = fabric.path(connection.path);
        std::vector<LinkId> wanted(path.span().begin(), path.span().end());
        if (connection.rate_cap < std::numeric_limits<double>::infinity()) {
            // Messages between hosts ignore Comm::set_rate (SimGrid 3.32), so a cap becomes a link of its own.
            const LinkId own{0xffffffffU - static_cast<std::uint32_t>(endpoints.size())};
            const double cap = connection.rate_cap * connection.wire_ratio;
            links[own] = add_link(zone, "cap " + std::to_string(endpoints.size()), cap, 0);
            wanted.push_back(own);
        }
        std::vector<std::vector<LinkId>>& known = paths[{connection.path.src, connection.path.dst}];
        const auto same = std::find(known.begin(), known.end(), wanted);
        const auto namesake = static_cast<std::uint32_t>(same - known.begin());
        const Endpoints ends{host(connection.path.src, namesake), host(connection.path.dst, namesake)};
        endpoints.push_back(ends);
        if (same != known.end()) { continue; }
        known.push_back(wanted);
        std::vector<s4u::LinkInRoute> route;
        for (const LinkId id : wanted) {
            s4u::Link*& link = links[id];
            if (link == nullptr) {
                const LinkInfo info = fabric.link(id);
                link = add_link(zone, std::to_string(static_cast<std::uint32_t>(id)), info.capacity,
                                latency ? to_seconds(info.latency) : 0);
            }
            route.emplace_back(link);
        }
        add_route(zone, ends.from, ends.to, route);
    }
    zone->seal();
    return endpoints;
}

void at(double seconds, std::function<void()> function) {
#if __has_include(<simgrid/kernel/Timer.hpp>)
    simgrid::kernel::timer::Timer::set(seconds, std::move(function));
#else
    simgrid::simix::Timer::set(seconds, std::move(function));
#endif
}

void on_completion(std::function<void(const s4u::Activity&)> function) {
    s4u::Comm::on_completion_cb([function = std::move(function)](const auto& activity) { function(activity); });
}

}  // namespace fabricast::inline simgrid_engine
