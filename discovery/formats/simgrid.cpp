// SimGrid's platforms: `<cluster>` with a fat tree or a single switch, and hosts whose routes name links. A route's
// links are no cables between switches, so a platform that is only routes becomes a star of its hosts.

#include <algorithm>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

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

std::vector<int> wholes_of(std::string_view text) {
    std::vector<int> wholes;
    for (const std::string_view word : split(text, ',')) { wholes.push_back(number_in<int>(word).value_or(0)); }
    return wholes;
}

constexpr std::size_t most_cables = 1'000'000;  // width_ stays below it, so that no product of these overflows

class PlatformReader {
public:
    explicit PlatformReader(const SourceText& source) : source_(source) {}

    Observations read() {
        const xml::Element root = xml::parse(source_.text(), source_.file());
        walk(root);
        // Hosts that only routes join: the speed that a host sees is that of its slowest link.
        for (const auto& [host, at] : hosts_) { add_host(host, "platform", slowest_[host], at); }
        if (hosts_.empty()) { return wired_.finish(); }
        wired_.state("platform", "switch", root.place);
        Observations seen = wired_.finish();
        seen.notes.emplace_back("a platform of routes says no switches: its hosts stand around one");
        return seen;
    }

private:
    void add_host(const std::string& name, const std::string& to, std::int64_t rate, const SourceLocation& at) {
        wired_.state(name, "host", at);
        wired_.add({name, "eth0"}, {to, std::to_string(++ports_)}, rate, at);
    }

    void walk(const xml::Element& element) {
        if (element.name == "cluster") {
            read_cluster(element);
            return;
        }
        if (element.name == "host") { hosts_.emplace(element.required("id"), element.place); }
        if (element.name == "link") { rates_[element.required("id")] = platform_megabits(element.word("bandwidth")); }
        if (element.name == "route") { read_route(element); }
        for (const xml::Element& child : element.children) { walk(child); }
    }

    void read_route(const xml::Element& route) {
        std::int64_t least = 0;
        for (const xml::Element& hop : route.children) {
            const std::int64_t rate = rates_[hop.word("id")];
            if (rate > 0) { least = least == 0 ? rate : std::min(least, rate); }
        }
        for (const char* end : {"src", "dst"}) {
            std::int64_t& rate = slowest_[route.word(end)];
            rate = std::max(rate, least);
        }
    }

    void read_cluster(const xml::Element& cluster) {
        const std::string topology = cluster.word("topology");
        std::vector<std::string> names;
        for (const std::string& number : hostlist("[" + cluster.word("radical") + "]", cluster.place)) {
            names.push_back(cluster.word("prefix") + number);  // the suffix is a domain
        }
        const std::int64_t rate = platform_megabits(cluster.word("bw"));
        if (topology.empty() || topology == "FLAT") {
            for (const std::string& name : names) {
                add_host(name, cluster.word("id") + "-switch", rate, cluster.place);
            }
            return;
        }
        if (topology != "FAT_TREE") {
            cluster.fail(error_message("a cluster of a kind that is not read", shown(topology), "FAT_TREE, or none"));
        }
        read_fat_tree(cluster, names, rate);
    }

    // topo_parameters="2;4,4;1,2;1,2": levels; children, parents and parallel cables of each level.
    void read_fat_tree(const xml::Element& cluster, std::vector<std::string> below, std::int64_t rate) {
        const std::string parameters = cluster.word("topo_parameters");
        std::vector<std::vector<int>> figures;
        for (const std::string_view part : split(parameters, ';')) { figures.push_back(wholes_of(part)); }
        const bool whole = figures.size() == 4 && figures[0].size() == 1 && figures[0][0] > 0 && figures[0][0] < 8;
        const auto levels = whole ? static_cast<std::size_t>(figures[0][0]) : 0;
        for (std::size_t part = 1; part < 4 && whole; ++part) {
            const bool right = figures[part].size() == levels &&
                               std::ranges::all_of(figures[part], [](int n) { return n > 0 && n < 4096; });
            if (!right) { cluster.fail("topo_parameters: a figure above zero for each level"); }
        }
        if (!whole) { cluster.fail("topo_parameters of a fat tree: levels;children;parents;cables"); }
        for (const std::string& host : below) { wired_.state(host, "host", cluster.place); }
        for (std::size_t level = 0; level < levels; ++level) {
            below = join_level(cluster, below, level, figures[1][level], figures[2][level], figures[3][level], rate);
        }
    }

    // Groups of `children` share `parents` switches: units of one group have one of each position.
    std::vector<std::string> join_level(const xml::Element& cluster, const std::vector<std::string>& below,
                                        std::size_t level, int children, int parents, int cables, std::int64_t rate) {
        const std::size_t group = static_cast<std::size_t>(children) * width_;
        const std::size_t groups = (below.size() + group - 1) / group;
        if (std::max(groups * width_, below.size()) * static_cast<std::size_t>(parents) *
                static_cast<std::size_t>(cables) >
            most_cables) {
            cluster.fail("a fat tree of more than " + std::to_string(most_cables) + " cables to one level");
        }
        std::vector<std::string> switches;
        for (std::size_t first = 0; first < below.size(); first += group) {
            for (std::size_t place = 0; place < width_; ++place) {
                for (int parent = 0; parent < parents; ++parent) {
                    const std::string name =
                        (level == 0 ? "leaf" : "spine" + std::to_string(level) + "-") + std::to_string(switches.size());
                    wired_.state(name, "switch", cluster.place);
                    for (std::size_t at = first + place; at < std::min(first + group, below.size()); at += width_) {
                        for (int cable = 0; cable < cables; ++cable) {
                            const std::string lower =
                                level == 0 ? "eth" + std::to_string(parent) : std::to_string(++ports_);
                            const std::string upper = std::to_string(++ports_);
                            wired_.add({below[at], lower}, {name, upper}, rate, cluster.place);
                        }
                    }
                    switches.push_back(name);
                }
            }
        }
        width_ *= static_cast<std::size_t>(parents);
        return switches;
    }

    const SourceText& source_;
    WiredDevices wired_;
    std::map<std::string, SourceLocation> hosts_;
    std::map<std::string, std::int64_t> rates_, slowest_;
    std::size_t ports_ = 0, width_ = 1;
};

}  // namespace

extern const SiteFormat simgrid{"simgrid", "SimGrid's platform XML: clusters, or hosts with routes",
                                [](const SourceText& source) { return source.is_xml("platform"); },
                                [](const SourceText& source) { return PlatformReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
