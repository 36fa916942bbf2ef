#include "discovery/platform_wires.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace fabricast::inline discovery {

namespace {

constexpr double most_cables = 1e6;  // so that no product of widths overflows

// A <cluster> with its cables. Sizes are products of figures below 4,096, so they are computed as doubles.
class Cluster {
public:
    Cluster(PlatformWires& wires, const xml::Element& element, const std::vector<std::string>& hosts,
            std::int64_t megabits)
        : wires_(wires), element_(element), hosts_(hosts), megabits_(megabits), id_(element.word("id")) {}

    std::string add() {
        const std::string topology = element_.word("topology");
        if (topology.empty() || topology == "FLAT") {
            for (const std::string& host : hosts_) { add_host(host, id_ + "-switch"); }
            return id_ + "-switch";
        }
        if (topology == "FAT_TREE") { return fat_tree(); }
        if (topology == "TORUS") { return torus(); }
        if (topology == "DRAGONFLY") { return dragonfly(); }
        element_.fail(error_message("a cluster of a kind that is not read", shown(topology),
                                    "FLAT, FAT_TREE, TORUS, DRAGONFLY, or none"));
    }

private:
    void add_host(const std::string& host, const std::string& to, int port = 0) {
        wires_.add_host(host, to, megabits_, element_.place, port);
    }
    void join(const std::string& a, const std::string& b, int cables) {
        wires_.join(a, b, megabits_, cables, element_.place);
    }
    std::string router(std::size_t number) const { return fmt::format("{}-router{}", id_, number); }

    // topo_parameters: as many figures in each part as `counts` says; 0: as many as the first figure of all.
    std::vector<std::vector<int>> figures(const std::vector<std::size_t>& counts, const char* meaning) const {
        std::vector<std::vector<int>> figures;
        bool whole = true;
        const std::string words = element_.word("topo_parameters");
        for (const std::string_view part : split(words, ';')) {
            std::vector<int>& own = figures.emplace_back();
            for (const std::string_view word : split(part, ',')) {
                own.push_back(number_in<int>(trimmed(word, " ")).value_or(0));
                whole = whole && own.back() > 0 && own.back() < 4096;
            }
        }
        whole = whole && figures.size() == counts.size();
        for (std::size_t part = 0; part < counts.size() && whole; ++part) {
            const std::size_t count = counts[part] == 0 ? static_cast<std::size_t>(figures[0][0]) : counts[part];
            whole = figures[part].size() == count;
        }
        if (!whole) { element_.fail(fmt::format("topo_parameters of a {}", meaning)); }
        return figures;
    }

    void check_size(double places, double cables) const {
        if (places != static_cast<double>(hosts_.size())) {
            element_.fail(
                fmt::format("topo_parameters are those of {:.0f} hosts, `radical` names {}", places, hosts_.size()));
        }
        check_cables(cables);
    }
    void check_cables(double cables) const {
        if (cables > most_cables) { element_.fail(fmt::format("a cluster of more than {:.0f} cables", most_cables)); }
    }

    // "2;4,4;1,2;1,2": levels; children, parents and parallel cables of each level.
    std::string fat_tree() {
        const auto parameters = figures({1, 0, 0, 0}, "fat tree: levels;children;parents;cables");
        std::vector<std::string> below = hosts_;
        std::size_t width = 1;  // switches that a group of this level has side by side
        for (std::size_t level = 0; level < parameters[1].size(); ++level) {
            below = join_level(below, level, parameters[1][level], parameters[2][level], parameters[3][level], width);
            width *= static_cast<std::size_t>(parameters[2][level]);
        }
        return id_ + "-leaf0";
    }

    // Groups of `children` share `parents` switches: units of one group have one of each position.
    std::vector<std::string> join_level(const std::vector<std::string>& below, std::size_t level, int children,
                                        int parents, int cables, std::size_t width) {
        const std::size_t group = static_cast<std::size_t>(children) * width;
        const std::size_t groups = (below.size() + group - 1) / group;
        check_cables(static_cast<double>(std::max(groups * width, below.size())) * parents * cables);
        std::vector<std::string> switches;
        for (std::size_t first = 0; first < below.size(); first += group) {
            for (std::size_t place = 0; place < width * static_cast<std::size_t>(parents); ++place) {
                const std::string name = level == 0 ? fmt::format("{}-leaf{}", id_, switches.size())
                                                    : fmt::format("{}-spine{}-{}", id_, level, switches.size());
                const std::size_t unit = place / static_cast<std::size_t>(parents);
                for (std::size_t at = first + unit; at < std::min(first + group, below.size()); at += width) {
                    for (int cable = 0; cable < cables && level == 0; ++cable) {
                        add_host(below[at], name, static_cast<int>(place));
                    }
                    if (level > 0) { join(below[at], name, cables); }
                }
                switches.push_back(name);
            }
        }
        return switches;
    }

    // A router for each host; each has a link to the next in every dimension, the last one to the first (SimGrid's
    // TorusZone).
    std::string torus() {
        const std::size_t dimensions = split(element_.word("topo_parameters"), ',').size();
        const std::vector<int> lengths = figures({dimensions}, "torus: hosts in each dimension")[0];
        double places = 1;
        for (const int length : lengths) { places *= length; }
        check_size(places, places * static_cast<double>(lengths.size()));
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            add_host(hosts_[i], router(i));
            std::size_t stride = 1;
            for (const int length : lengths) {
                const auto across = static_cast<std::size_t>(length);
                const bool last = i / stride % across == across - 1;
                const std::size_t next = last ? i - (across - 1) * stride : i + stride;
                if (next != i) { join(router(i), router(next), 1); }
                stride *= across;
            }
        }
        return router(0);
    }

    // "groups,blue;chassis,black;routers,green;hosts": routers of a chassis are joined all to all by green links, those
    // of one place in the chassis of a group by black ones, and router j of group i has the blue links to group j
    // (SimGrid's DragonflyZone). Several links of a pair are cables.
    std::string dragonfly() {
        const auto parameters = figures({2, 2, 2, 1}, "dragonfly: groups,links;chassis,links;routers,links;hosts");
        const auto count = [&](std::size_t part) { return static_cast<std::size_t>(parameters[part][0]); };
        const std::size_t groups = count(0), chassis = count(1), blades = count(2), size = chassis * blades;
        const double routers = static_cast<double>(groups) * static_cast<double>(size);
        const double inside =
            static_cast<double>(chassis) * parameters[1][1] + static_cast<double>(blades) * parameters[2][1];
        check_size(routers * parameters[3][0],
                   routers * inside + static_cast<double>(groups) * static_cast<double>(groups) * parameters[0][1]);
        if (groups > size + 1) { element_.fail("a dragonfly of more groups than a group's routers can join"); }
        for (std::size_t i = 0; i < hosts_.size(); ++i) { add_host(hosts_[i], router(i / count(3))); }
        for (std::size_t a = 0; a < groups * size; ++a) {
            for (std::size_t b = a + 1; b < (a / size + 1) * size; ++b) {
                const bool green = a / blades == b / blades, black = (b - a) % blades == 0;
                join(router(a), router(b), green ? parameters[2][1] : black ? parameters[1][1] : 0);
            }
        }
        for (std::size_t i = 0; i < groups; ++i) {
            for (std::size_t j = i + 1; j < groups; ++j) {
                join(router(i * size + j), router(j * size + i), parameters[0][1]);
            }
        }
        return router(0);
    }

    PlatformWires& wires_;
    const xml::Element& element_;
    const std::vector<std::string>& hosts_;
    std::int64_t megabits_;
    std::string id_;
};

}  // namespace

void PlatformWires::add_host(const std::string& host, const std::string& to, std::int64_t megabits,
                             const SourceLocation& at, int port) {
    wired_.state(host, "host", at);
    wired_.state(to, "switch", at);
    wired_.add({host, fmt::format("eth{}", port)}, {to, fmt::to_string(++ports_)}, megabits, at);
}

void PlatformWires::join(const std::string& a, const std::string& b, std::int64_t megabits, int cables,
                         const SourceLocation& at) {
    if (cables == 0) { return; }
    wired_.state(a, "switch", at);
    wired_.state(b, "switch", at);
    for (int cable = 0; cable < cables; ++cable, ports_ += 2) {
        wired_.add({a, fmt::to_string(ports_ + 1)}, {b, fmt::to_string(ports_ + 2)}, megabits, at);
    }
}

std::string PlatformWires::add_cluster(const xml::Element& cluster, const std::vector<std::string>& hosts,
                                       std::int64_t megabits) {
    return Cluster(*this, cluster, hosts, megabits).add();
}

}  // namespace fabricast::inline discovery
