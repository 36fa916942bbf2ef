// SimGrid's platforms: clusters (a switch, a fat tree, a dragonfly, a torus), and zones of hosts whose routes name
// links. A route's links are no cables between switches, so the hosts of a zone become a star, and a route between
// zones a cable.

#include <algorithm>
#include <array>
#include <set>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "discovery/format.hpp"
#include "discovery/platform_wires.hpp"

namespace fabricast::inline discovery::formats {

namespace {

// "125MBps", "10Gbps", "1.5e9": Mb/s. A bare figure is bytes per second.
std::int64_t platform_megabits(const std::string& text) {
    const std::size_t stop = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
    const double value = figure_in_word(std::string_view(text).substr(0, stop)).value_or(0);
    std::string unit = text.substr(stop);
    double factor = 1;
    for (const auto& [prefix, times] :
         {std::pair("Ki", 1024.0), std::pair("Mi", 1048576.0), std::pair("Gi", 1073741824.0), std::pair("k", 1e3),
          std::pair("M", 1e6), std::pair("G", 1e9)}) {
        if (unit.starts_with(prefix)) {
            factor = times;
            unit = unit.substr(std::string_view(prefix).size());
            break;
        }
    }
    const double bits = value * factor * (unit == "bps" ? 1 : 8);
    return bits > 0 && bits < 1e16 ? static_cast<std::int64_t>(bits / 1e6 + 0.5) : 0;
}

class PlatformReader {
public:
    explicit PlatformReader(const SourceText& source) : source_(source) {}

    Observations read() {
        walk(xml::parse(source_.text(), source_.file()), "platform");
        // Hosts that only routes join: the speed that a host sees is that of its slowest link.
        for (const ZoneHost& host : hosts_) { wires_.add_host(host.name, host.zone, slowest_[host.name], host.at); }
        for (const ZoneRoute& route : routes_) { wires_.join(route.ends[0], route.ends[1], route.rate, 1, route.at); }
        Observations seen = wires_.finish();
        if (!hosts_.empty()) {
            seen.notes.emplace_back("a zone of routes says no switches: its hosts stand around one");
        }
        if (!routes_.empty()) {
            seen.notes.emplace_back("guess: a route between zones is one cable of its slowest link");
        }
        return seen;
    }

private:
    struct ZoneHost {
        std::string name, zone;
        SourceLocation at;
    };
    struct ZoneRoute {
        std::array<std::string, 2> ends;
        std::int64_t rate = 0;
        SourceLocation at;
    };

    void walk(const xml::Element& element, const std::string& zone) {
        const std::string& name = element.name;
        if (name == "cluster") {
            read_cluster(element);
            return;
        }
        const bool is_zone = name == "zone" || name == "AS";
        const std::string here = is_zone ? element.required("id") : zone;
        if (name == "host" || name == "peer") {
            const std::string host = unique(element.required("id"), zone);
            hosts_.push_back({host, zone, element.place});
            switch_of_[element.required("id")] = zone;
            slowest_[host] = platform_megabits(element.word("bw_out"));  // of a peer
        }
        if (name == "router") { switch_of_[element.required("id")] = zone; }
        if (name == "link" || name == "backbone") {
            rates_[element.required("id")] = platform_megabits(element.word("bandwidth"));
        }
        if (name == "cabinet") {
            for (const std::string& host : names_of(element)) {
                wires_.add_host(host, zone, platform_megabits(element.word("bw")), element.place);
            }
        }
        if (name == "route") { read_route(element); }
        if (name == "zoneRoute" || name == "ASroute") { read_zone_route(element); }
        for (const xml::Element& child : element.children) { walk(child, here); }
    }

    // Hosts of two clusters may differ only in the domain behind their names.
    std::string unique(const std::string& name, const std::string& zone) {
        std::string own = name;
        std::ranges::replace(own, ' ', '-');  // "Host 26"
        own = host_name(own);
        return known_.insert(own).second ? name : own + "-" + zone;
    }

    std::vector<std::string> names_of(const xml::Element& element) {
        std::vector<std::string> names;
        for (const std::string& number : lists_.names("[" + element.word("radical") + "]", element.place)) {
            const std::string domain(trimmed(element.word("suffix"), "."));
            names.push_back(unique(element.word("prefix") + number, domain.substr(0, domain.find('.'))));
        }
        return names;
    }

    std::int64_t slowest_link(const xml::Element& route) {
        std::int64_t least = 0;
        for (const xml::Element& hop : route.children) {
            const std::int64_t rate = rates_[hop.word("id")];
            if (rate > 0) { least = least == 0 ? rate : std::min(least, rate); }
        }
        return least;
    }

    void read_route(const xml::Element& route) {
        const std::int64_t least = slowest_link(route);
        for (const char* end : {"src", "dst"}) {
            std::int64_t& rate = slowest_[route.word(end)];
            rate = std::max(rate, least);
        }
    }

    // The gateways say in which zone a route ends.
    void read_zone_route(const xml::Element& route) {
        const auto end = [&](const char* gateway, const char* zone) {
            for (const std::string& name : {route.word(gateway), route.word(zone)}) {
                if (const auto known = switch_of_.find(name); known != switch_of_.end()) { return known->second; }
            }
            return route.word(zone);
        };
        routes_.push_back({{end("gw_src", "src"), end("gw_dst", "dst")}, slowest_link(route), route.place});
    }

    void read_cluster(const xml::Element& cluster) {
        const std::string id = cluster.word("id"), prefix = cluster.word("prefix");
        const std::vector<std::string> names = names_of(cluster);
        const std::int64_t rate = platform_megabits(cluster.word("bw"));
        const std::string first = wires_.add_cluster(cluster, names, rate);
        const std::string router = cluster.word("router_id");
        switch_of_[id] = first;
        switch_of_[prefix + (router.empty() ? id + "_router" : router) + cluster.word("suffix")] = first;
        if (!router.empty()) { switch_of_[router] = first; }
    }

    const SourceText& source_;
    PlatformWires wires_;
    std::vector<ZoneHost> hosts_;
    std::vector<ZoneRoute> routes_;
    Hostlists lists_;
    std::set<std::string> known_;
    std::map<std::string, std::string> switch_of_;  // by host, router, cluster: the switch that stands for it
    std::map<std::string, std::int64_t> rates_, slowest_;
};

}  // namespace

extern const SiteFormat simgrid{"simgrid", "SimGrid's platform XML: clusters, or hosts with routes",
                                [](const SourceText& source) { return source.is_xml("platform"); },
                                [](const SourceText& source) { return PlatformReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
