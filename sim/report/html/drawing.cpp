#include "sim/report/html/drawing.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "sim/report/cable_names.hpp"
#include "topologies/bill.hpp"

namespace fabricast::inline report::html {

namespace {

class Painter {
public:
    Painter(const Fabric& fabric, const Animation& animation)
        : fabric_(fabric), animation_(animation), cables_(fabric) {
        drawing_.frames = animation.frames;
        for (std::uint32_t l = fabric.first_trunk(); l < fabric_.link_count(); ++l) {
            if (const LinkEnds ends = fabric_.ends(LinkId{l}); !ends.resource) { trunks_.emplace_back(l, ends); }
        }
    }

    Drawing paint() {
        choose_nodes();
        add_nodes();
        add_switches();
        say_what_is_folded();
        add_wires();
        return std::move(drawing_);
    }

private:
    bool is_switch(DeviceId device) const { return fabric_.kind(device) == DeviceKind::fabric_switch; }
    bool drawn(DeviceId device) const { return box_of_.contains(index(device)); }

    // The number of nodes to draw: more of them fit if each has few columns.
    std::uint32_t most_nodes() const {
        const std::uint32_t columns = std::max(fabric_.gpus_per_node(), fabric_.nics_per_node());
        return columns <= 2 ? nodes_drawn * 4 : columns <= 4 ? nodes_drawn : nodes_drawn / 2;
    }

    // Chooses the first node, the nodes of the focus links, the last node, then as many as fit.
    void choose_nodes() {
        const std::uint32_t count = fabric_.cluster().nodes;
        std::vector<std::uint32_t> wanted = {0};
        for (const LinkId link : animation_.focus_links) {
            if (index(link) < fabric_.first_trunk()) { wanted.push_back(fabric_.wired_node_of(link)); }
        }
        wanted.push_back(count - 1);
        for (std::uint32_t n = 1; n < std::min(count, most_nodes()); ++n) { wanted.push_back(n); }
        for (const std::uint32_t n : wanted) {
            if (nodes_.size() < most_nodes()) { nodes_.insert(n); }
        }
    }

    void add_box(DeviceId device, int node, int tier) {
        box_of_.emplace(index(device), static_cast<std::uint32_t>(drawing_.boxes.size()));
        drawing_.boxes.push_back(
            {fabric_.device_name(device), std::string(fabricast::to_string(fabric_.kind(device))), node, tier});
    }

    void add_nodes() {
        for (const std::uint32_t n : nodes_) {
            for (std::uint32_t d = fabric_.first_device(n); d < fabric_.first_device(n + 1); ++d) {
                const DeviceId device{d};
                if (fabric_.kind(device) != DeviceKind::host_memory) { add_box(device, static_cast<int>(n), 0); }
            }
        }
    }

    // The tier whose name is in the switch's name, counted from the nodes up; 1 if none is.
    int tier_of(const std::string& name, const std::vector<FabricTier>& tiers) const {
        for (std::size_t t = 0; t < tiers.size(); ++t) {
            if (name.find(tiers[t].name) != std::string::npos) { return static_cast<int>(t) + 1; }
        }
        return 1;
    }

    // Of a fabric whose switches are one kind: hops of each from the nearest adapter.
    std::map<std::uint32_t, int> hops_from_adapters() const {
        std::map<std::uint32_t, std::vector<std::uint32_t>> beside;
        std::map<std::uint32_t, int> hops;
        std::vector<std::uint32_t> queue;
        const auto reach = [&](std::uint32_t device, int own) {
            if (hops.emplace(device, own).second) { queue.push_back(device); }
        };
        for (const auto& [link, ends] : trunks_) {
            if (is_switch(ends.from)) {
                beside[index(ends.from)].push_back(index(ends.to));
            } else if (is_switch(ends.to)) {
                reach(index(ends.to), 1);
            }
        }
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const std::uint32_t device = queue[i];
            for (const std::uint32_t next : beside[device]) {
                if (is_switch(DeviceId{next})) { reach(next, hops.at(device) + 1); }
            }
        }
        return hops;
    }

    // Adds switches next to what is drawn already, from the nodes up, at most switches_drawn in each tier.
    void add_switches() {
        const std::vector<FabricTier> tiers = fabric_.tiers();
        std::map<int, std::set<std::uint32_t>> of_tier;
        std::map<std::uint32_t, int> tier;
        // In an explicit graph, NICs are ends of trunks too, and switches of a single tier may be joined to each other.
        const bool sideways = std::ranges::count_if(tiers, [](const FabricTier& t) { return t.switches > 0; }) <= 1;
        if (sideways) { hops_ = hops_from_adapters(); }
        const auto offer = [&](DeviceId device) {
            if (is_switch(device) && !tier.contains(index(device))) {
                const auto hops = hops_.find(index(device));
                const int own = hops == hops_.end() ? tier_of(fabric_.device_name(device), tiers) : hops->second;
                if (of_tier[own].size() < (sideways ? switches_drawn / 4 * 3 : switches_drawn)) {
                    of_tier[own].insert(index(device));
                    tier.emplace(index(device), own);
                }
            }
        };
        for (const std::uint32_t n : nodes_) {
            for (std::uint32_t l = fabric_.first_link(n); l < fabric_.first_link(n + 1); ++l) {
                offer(fabric_.ends(LinkId{l}).to);
            }
        }
        for (std::size_t step = 0; step < tiers.size() + (sideways ? switches_drawn : 1); ++step) {
            for (const auto& [link, ends] : trunks_) {
                const auto from = tier.find(index(ends.from));
                const bool at_node = !is_switch(ends.from) && drawn(ends.from);
                if (at_node ||
                    (from != tier.end() && (sideways || tier_of(fabric_.device_name(ends.to), tiers) > from->second))) {
                    offer(ends.to);
                }
            }
        }
        for (const auto& [own, switches] : of_tier) {
            for (const std::uint32_t device : switches) { add_box(DeviceId{device}, -1, own); }
        }
        fold_switches(tiers);
    }

    // Switches merged into one device share a box. Adds a folded box for switches of a tier that no box shows.
    void fold_switches(const std::vector<FabricTier>& tiers) {
        std::map<int, std::uint64_t> shown;
        const BoughtSwitches bought(fabric_);
        for (std::uint32_t s = 0; s < bought.count(); ++s) {
            if (const auto box = box_of_.find(index(bought.drawn_as(SwitchId{s}))); box != box_of_.end()) {
                ++shown[hops_.empty() ? drawing_.boxes[box->second].tier : 1];
            }
        }
        for (std::size_t t = 0; t < tiers.size(); ++t) {
            const int own = static_cast<int>(t) + 1;
            if (shown.contains(own) && tiers[t].switches > shown[own]) {
                fold(tiers[t].switches - shown[own], tiers[t].name, own);
            }
        }
    }

    void fold(std::uint64_t more, const std::string& what, int tier) {
        const std::string many = what == "leaf" ? "leaves" : what == "switch" ? "switches" : what + "s";
        const std::string name = std::to_string(more) + " more " + (more > 1 ? many : what);
        drawing_.boxes.push_back({name, "folded", -1, tier});
        folded_.push_back(name);
    }

    void say_what_is_folded() {
        const std::uint64_t more = fabric_.cluster().nodes - nodes_.size();
        if (more > 0) { fold(more, "node", 0); }
        if (!folded_.empty()) { drawing_.folded = "Not drawn: " + joined(folded_) + "."; }
    }

    void add_wires() {
        for (const std::uint32_t n : nodes_) {
            for (std::uint32_t l = fabric_.first_link(n); l < fabric_.first_link(n + 1); ++l) { add_wire(l); }
        }
        for (const auto& [link, ends] : trunks_) { add_wire(link); }
    }

    // Adds the link to its wire; the two directions of a cable are one wire.
    void add_wire(std::uint32_t link) {
        const LinkEnds ends = fabric_.ends(LinkId{link});
        if (ends.resource || !drawn(ends.from) || !drawn(ends.to)) { return; }
        const std::uint32_t from = box_of_.at(index(ends.from));
        const auto [low, high] = std::minmax(from, box_of_.at(index(ends.to)));
        const auto [place, fresh] =
            wire_of_.emplace(std::tuple{low, high, cables_.number(LinkId{link})}, drawing_.wires.size());
        if (fresh) {
            const LinkInfo info = fabric_.link(LinkId{link});
            drawing_.wires.push_back(
                {low, high, std::string(fabricast::to_string(info.cls)), info.capacity, ends.cables});
        }
        Wire& wire = drawing_.wires[place->second];
        WireDirection& direction = from == low ? wire.there : wire.back;
        direction.name = cables_.name(LinkId{link});
        direction.loads.resize(animation_.frames.size());
        for (std::size_t f = 0; f < direction.loads.size(); ++f) {
            const Load load = animation_.load(f, LinkId{link});
            Load& most = direction.loads[f];
            most = {std::max(most.busy, load.busy), std::max(most.queued_bytes, load.queued_bytes),
                    std::max(most.paused, load.paused)};
        }
    }

    const Fabric& fabric_;
    const Animation& animation_;
    CableNames cables_;
    std::vector<std::pair<std::uint32_t, LinkEnds>> trunks_;
    std::set<std::uint32_t> nodes_;
    std::map<std::uint32_t, int> hops_;
    std::map<std::uint32_t, std::uint32_t> box_of_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> wire_of_;
    std::vector<std::string> folded_;
    Drawing drawing_;
};

// Of all links of each class, in bytes per second.
std::map<LinkClass, double> capacities(const Fabric& fabric) {
    std::map<LinkClass, double> capacity;
    const auto add = [&](std::uint32_t begin, std::uint32_t end, double times) {
        for (std::uint32_t l = begin; l < end; ++l) {
            const LinkInfo info = fabric.link(LinkId{l});
            capacity[info.cls] += info.capacity * times;
        }
    };
    for (const NodeSpan& run : fabric.runs()) {
        add(fabric.first_link(run.first), fabric.first_link(run.first + 1), run.nodes);
    }
    add(fabric.first_trunk(), fabric.link_count(), 1);
    return capacity;
}

// The utilisation of a link in a row. If the row does not keep every link: that of the link if it is listed, else that
// of a listed link in the same position of another node, else the mean of its class.
double utilisation(const LinkTraffic& row, LinkId link, const Fabric& fabric,
                   const std::map<LinkClass, double>& capacity) {
    if (!row.busy.empty()) { return static_cast<double>(row.busy[index(link)]); }
    const auto position = [&](LinkId l) {
        const std::uint32_t node = fabric.wired_node_of(l);
        return std::pair{fabric.run_of(node), index(l) - fabric.first_link(node)};
    };
    const auto of_node = [&](LinkId l) { return index(l) < fabric.first_trunk(); };
    std::optional<double> alike;
    for (const LinkUse& use : row.busiest) {
        if (use.link == link) { return use.utilisation; }
        if (use.alike > 1 && of_node(link) && of_node(use.link) && position(use.link) == position(link)) {
            alike = use.utilisation;
        }
    }
    if (alike) { return *alike; }
    const LinkClass cls = fabric.link(link).cls;
    const auto use = std::ranges::find(row.classes, cls, &ClassUse::cls);
    return use == row.classes.end() || row.replay_s <= 0 ? 0 : use->bytes / (capacity.at(cls) * row.replay_s);
}

}  // namespace

bool has_links_of(const LinkTraffic& row, const Fabric& fabric) {
    return row.nodes == fabric.cluster().nodes && (row.busy.empty() || row.busy.size() == fabric.link_count());
}

Drawing draw_animation(const Fabric& fabric, const Animation& animation) { return Painter(fabric, animation).paint(); }

Drawing draw(const Fabric& fabric, const std::vector<LinkTraffic>& traffic) {
    Animation animation;
    std::vector<const LinkTraffic*> rows;
    for (const LinkTraffic& row : traffic) {
        if (!has_links_of(row, fabric)) { continue; }
        rows.push_back(&row);
        animation.frames.push_back(row.row);
        if (!row.busiest.empty()) { animation.focus_links.push_back(row.busiest.front().link); }
    }
    const std::map<LinkClass, double> capacity = capacities(fabric);
    animation.load = [&](std::size_t frame, LinkId link) {
        return Load{std::min(utilisation(*rows[frame], link, fabric, capacity), 1.0)};
    };
    return draw_animation(fabric, animation);
}

}  // namespace fabricast::inline report::html
