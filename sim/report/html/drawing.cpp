#include "sim/report/html/drawing.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace fabricast::html {

namespace {

constexpr std::uint32_t id(DeviceId device) { return static_cast<std::uint32_t>(device); }
constexpr std::uint32_t id(LinkId link) { return static_cast<std::uint32_t>(link); }

// A link between two switches, or between a switch and a NIC of a graph drawn by hand.
struct TrunkEnds {
    std::uint32_t link = 0;
    DeviceId from{}, to{};
};

class Painter {
public:
    Painter(const Fabric& fabric, const std::vector<LinkTraffic>& traffic) : fabric_(fabric) {
        for (const LinkTraffic& row : traffic) {
            if (row.nodes == fabric.node_count()) {
                rows_.push_back(&row);
                drawing_.frames.push_back(row.row);
            }
        }
        for (std::uint32_t l = first_trunk(); l < fabric_.link_count(); ++l) {
            if (const LinkEnds ends = fabric_.ends(LinkId{l}); !ends.resource) {
                trunks_.push_back({l, ends.from, ends.to});
            }
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
    std::uint32_t first_trunk() const { return fabric_.node_link_count() * fabric_.node_count(); }
    bool is_switch(DeviceId device) const { return fabric_.kind(device) == DeviceKind::fabric_switch; }
    // Wide nodes take the room of two.
    std::uint32_t most_nodes() const { return fabric_.gpus_per_node() > 4 ? nodes_drawn / 2 : nodes_drawn; }
    bool drawn(DeviceId device) const { return box_of_.contains(id(device)); }

    // The first nodes and the last, and those of the busiest links: what differs stands out.
    void choose_nodes() {
        const std::uint32_t count = fabric_.node_count();
        std::vector<std::uint32_t> wanted = {0, count - 1, 1};
        for (const LinkTraffic* row : rows_) {
            for (const LinkUse& use : std::span(row->busiest).first(std::min<std::size_t>(row->busiest.size(), 1))) {
                if (id(use.link) < first_trunk()) {
                    wanted.insert(wanted.begin() + 1, id(use.link) / fabric_.node_link_count());
                }
            }
        }
        for (std::uint32_t n = 2; n < std::min(count, most_nodes()); ++n) {
            wanted.push_back(n);
        }
        for (const std::uint32_t n : wanted) {
            if (n < count && nodes_.size() < most_nodes()) {
                nodes_.insert(n);
            }
        }
    }

    void add_box(DeviceId device, int node, int tier) {
        box_of_.emplace(id(device), static_cast<std::uint32_t>(drawing_.boxes.size()));
        drawing_.boxes.push_back(
            {fabric_.device_name(device), std::string(fabricast::word(fabric_.kind(device))), node, tier});
    }

    void add_nodes() {
        for (const std::uint32_t n : nodes_) {
            for (std::uint32_t d = 0; d < fabric_.node_device_count(); ++d) {
                const DeviceId device{n * fabric_.node_device_count() + d};
                if (fabric_.kind(device) != DeviceKind::host_memory) {
                    add_box(device, static_cast<int>(n), 0);
                }
            }
        }
    }

    // The tier whose name the switch bears, counted from the nodes up; 1 where names say nothing.
    int tier_of(const std::string& name, const std::vector<FabricTier>& tiers) const {
        for (std::size_t t = 0; t < tiers.size(); ++t) {
            if (name.find(tiers[t].name) != std::string::npos) {
                return static_cast<int>(t) + 1;
            }
        }
        return 1;
    }

    // Those next to what is drawn already, tier by tier, up to a number of each.
    void add_switches() {
        const std::vector<FabricTier> tiers = fabric_.tiers();
        std::map<int, std::uint32_t> of_tier;
        const auto offer = [&](DeviceId device) {
            if (!is_switch(device) || drawn(device)) {
                return;
            }
            const int tier = tier_of(fabric_.device_name(device), tiers);
            if (of_tier[tier] < switches_drawn) {
                ++of_tier[tier];
                add_box(device, -1, tier);
            }
        };
        for (const std::uint32_t n : nodes_) {
            for (std::uint32_t l = 0; l < fabric_.node_link_count(); ++l) {
                offer(fabric_.ends(LinkId{n * fabric_.node_link_count() + l}).to);
            }
        }
        for (std::size_t step = 0; step < tiers.size() + 1; ++step) {
            for (const TrunkEnds& trunk : trunks_) {
                if (drawn(trunk.from)) {
                    offer(trunk.to);
                }
            }
        }
        for (std::size_t t = 0; t < tiers.size(); ++t) {
            const std::uint64_t more =
                tiers[t].switches - std::min<std::uint64_t>(tiers[t].switches, of_tier[int(t) + 1]);
            if (more > 0 && of_tier[int(t) + 1] > 0) {
                const std::string name = std::to_string(more) + " more " + tiers[t].name + (more > 1 ? "s" : "");
                drawing_.boxes.push_back({name, "folded", -1, static_cast<int>(t) + 1});
                folded_.push_back(name);
            }
        }
    }

    void say_what_is_folded() {
        const std::uint64_t more = fabric_.node_count() - nodes_.size();
        if (more > 0) {
            const std::string name = std::to_string(more) + (more > 1 ? " more nodes" : " more node");
            drawing_.boxes.push_back({name, "folded", -1, 0});
            folded_.push_back(name);
        }
        for (const std::string& what : folded_) {
            drawing_.folded += (drawing_.folded.empty() ? "Not drawn: " : ", ") + what;
        }
        drawing_.folded += folded_.empty() ? "" : ".";
    }

    void add_wires() {
        for (const std::uint32_t n : nodes_) {
            for (std::uint32_t l = 0; l < fabric_.node_link_count(); ++l) {
                add_wire(n * fabric_.node_link_count() + l);
            }
        }
        for (const TrunkEnds& trunk : trunks_) {
            add_wire(trunk.link);
        }
    }

    // Both directions, and all cables between the two boxes, are one wire.
    void add_wire(std::uint32_t link) {
        const LinkEnds ends = fabric_.ends(LinkId{link});
        if (ends.resource || !drawn(ends.from) || !drawn(ends.to)) {
            return;
        }
        const auto [low, high] = std::minmax(box_of_.at(id(ends.from)), box_of_.at(id(ends.to)));
        const auto [place, fresh] = wire_of_.emplace(std::pair{low, high}, drawing_.wires.size());
        if (fresh) {
            const LinkInfo info = fabric_.link(LinkId{link});
            drawing_.wires.push_back({low, high, fabric_.link_name(LinkId{link}),
                                      std::string(fabricast::word(info.cls)), info.capacity, ends.cables,
                                      std::vector<Load>(rows_.size())});
        }
        std::vector<Load>& loads = drawing_.wires[place->second].loads;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            loads[r].busy = std::max(loads[r].busy, busy(*rows_[r], link));
        }
    }

    // Listed itself, or the like of one listed at the same place of another node; else its class' mean.
    double busy(const LinkTraffic& row, std::uint32_t link) {
        std::optional<double> alike;
        for (const LinkUse& use : row.busiest) {
            if (id(use.link) == link) {
                return std::min(use.utilisation, 1.0);
            }
            if (use.alike > 1 && link < first_trunk() && id(use.link) < first_trunk() &&
                id(use.link) % fabric_.node_link_count() == link % fabric_.node_link_count()) {
                alike = use.utilisation;
            }
        }
        return std::min(alike ? *alike : class_mean(row, fabric_.link(LinkId{link}).cls), 1.0);
    }

    double class_mean(const LinkTraffic& row, LinkClass cls) {
        if (class_capacity_.empty()) {
            for (std::uint32_t l = 0; l < fabric_.node_link_count(); ++l) {
                const LinkInfo info = fabric_.link(LinkId{l});
                class_capacity_[info.cls] += info.capacity * fabric_.node_count();
            }
            for (const TrunkEnds& trunk : trunks_) {
                const LinkInfo info = fabric_.link(LinkId{trunk.link});
                class_capacity_[info.cls] += info.capacity;
            }
        }
        const auto use =
            std::find_if(row.classes.begin(), row.classes.end(), [&](const ClassUse& c) { return c.cls == cls; });
        return use == row.classes.end() || row.replay_s <= 0 ? 0
                                                             : use->bytes / (class_capacity_.at(cls) * row.replay_s);
    }

    const Fabric& fabric_;
    std::vector<const LinkTraffic*> rows_;
    std::vector<TrunkEnds> trunks_;
    std::set<std::uint32_t> nodes_;
    std::map<std::uint32_t, std::uint32_t> box_of_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> wire_of_;
    std::map<LinkClass, double> class_capacity_;
    std::vector<std::string> folded_;
    Drawing drawing_;
};

}  // namespace

Drawing draw(const Fabric& fabric, const std::vector<LinkTraffic>& traffic) { return Painter(fabric, traffic).paint(); }

}  // namespace fabricast::html
