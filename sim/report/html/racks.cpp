#include "sim/report/html/racks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "sim/report/columns.hpp"
#include "topologies/bill.hpp"

namespace fabricast::inline report::html {

namespace {

class Grouping {
public:
    Grouping(const Fabric& fabric, const std::vector<std::string>& hosts) : fabric_(fabric), hosts_(hosts) {
        const BoughtSwitches bought(fabric);
        for (std::uint32_t s = 0; s < bought.count(); ++s) { ++behind_[index(bought.drawn_as(SwitchId{s}))]; }
        read_links();
        group_nodes();
        group_switches();
        merge_racks();
    }

    Racks racks() { return {std::move(groups_), std::move(bundles_), rows_}; }

private:
    struct Cable {
        std::uint32_t low = 0, high = 0;  // low: a node, or a switch behind the nodes
        Bundle bundle{};
    };

    std::uint32_t nodes() const { return fabric_.cluster().nodes; }
    std::uint32_t vertex(DeviceId device) const {
        const std::uint32_t first_switch = fabric_.first_switch();
        return index(device) < first_switch ? fabric_.wired_node_of(device) : index(device) - first_switch + nodes();
    }
    std::string name_of(std::uint32_t vertex) const {
        if (vertex >= nodes()) { return fabric_.device_name(DeviceId{vertex - nodes() + fabric_.first_switch()}); }
        return hosts_.empty() ? fmt::format("node{}", vertex) : hosts_[vertex];
    }

    // Cables between adapters and switches and between switches, one direction of each.
    void read_links() {
        const std::uint32_t vertices = fabric_.device_count() - fabric_.first_switch() + nodes();
        std::vector<std::vector<std::uint32_t>> beside(vertices);
        for (std::uint32_t l = 0; l < fabric_.link_count(); ++l) {
            const LinkEnds ends = fabric_.ends(LinkId{l});
            const std::uint32_t from = vertex(ends.from), to = vertex(ends.to);
            if (ends.resource || from == to || (from < nodes() && to < nodes())) { continue; }
            const LinkInfo info = fabric_.link(LinkId{l});
            cables_.push_back({from, to, {ends.cables, info.capacity, info.cls}});
            beside[from].push_back(to);
        }
        row_.assign(vertices, vertices);
        std::vector<std::uint32_t> queue(nodes());
        for (std::uint32_t n = 0; n < nodes(); ++n) { row_[queue[n] = n] = 0; }
        for (std::size_t i = 0; i < queue.size(); ++i) {
            for (const std::uint32_t next : beside[queue[i]]) {
                if (row_[next] == vertices) {
                    row_[next] = row_[queue[i]] + 1;
                    queue.push_back(next);
                }
            }
        }
        for (const std::uint32_t v : queue) { rows_ = std::max<std::size_t>(rows_, row_[v] + 1); }
        // Upwards only; of two switches of a tier, to the later one.
        std::erase_if(cables_, [&](const Cable& c) {
            return row_[c.low] == vertices || std::pair(row_[c.low], c.low) > std::pair(row_[c.high], c.high);
        });
    }

    // Into the group of this key, a new one of `row` if there is none.
    template <class Key>
    void join(std::uint32_t vertex, std::size_t row, std::map<Key, std::size_t>& groups, const Key& key) {
        const auto [place, fresh] = groups.try_emplace(key, groups_.size());
        if (fresh) { groups_.push_back({row, {}}); }
        group_of_[vertex] = place->second;
        groups_[place->second].members.push_back(name_of(vertex));
        if (row > 0) {
            const auto switches = behind_.find(vertex - nodes() + fabric_.first_switch());
            groups_[place->second].switches += switches == behind_.end() ? 1 : switches->second;
        }
    }

    void group_nodes() {
        std::vector<std::vector<std::uint32_t>> leaves(nodes());
        for (const Cable& c : cables_) {
            if (c.low < nodes()) { leaves[c.low].push_back(c.high); }
        }
        group_of_.assign(row_.size(), 0);
        std::map<std::vector<std::uint32_t>, std::size_t> known;
        for (std::uint32_t n = 0; n < nodes(); ++n) {
            std::ranges::sort(leaves[n]);
            join(n, 0, known, leaves[n]);
        }
    }

    // Row by row upwards: by the groups below.
    void group_switches() {
        std::vector<std::set<std::size_t>> below(row_.size());
        for (std::size_t row = 1; row < rows_; ++row) {
            for (const Cable& c : cables_) {
                if (row_[c.high] == row && row_[c.low] < row) { below[c.high].insert(group_of_[c.low]); }
            }
            std::map<std::set<std::size_t>, std::size_t> known;
            for (std::uint32_t v = nodes(); v < row_.size(); ++v) {
                if (row_[v] == row) { join(v, row, known, below[v]); }
            }
        }
        for (const Cable& c : cables_) { bundle(group_of_[c.low], group_of_[c.high], c.bundle); }
    }

    void bundle(std::size_t low, std::size_t high, const Bundle& more) {
        Bundle& all = bundles_[{low, high}];
        all.cables += more.cables;
        all.capacity += more.capacity;
        all.cls = more.cls;
    }

    std::size_t in_row(std::size_t row) const {
        return static_cast<std::size_t>(std::ranges::count(groups_, row, &Group::row));
    }

    // Too many racks: row by row, those with the same groups two rows above become one.
    void merge_racks() {
        for (std::size_t row = 0; row + 2 < rows_ && in_row(row) > groups_a_row; ++row) {
            // What is above each group of this row's next one.
            std::map<std::size_t, std::set<std::size_t>> above;
            for (const auto& [ends, all] : bundles_) {
                if (groups_[ends.first].row == row + 1) { above[ends.first].insert(ends.second); }
            }
            std::map<std::set<std::size_t>, std::size_t> upper;
            std::vector<std::size_t> into(groups_.size());
            for (std::size_t g = 0; g < groups_.size(); ++g) {
                into[g] = groups_[g].row == row + 1 ? upper.try_emplace(above[g], g).first->second : g;
            }
            std::map<std::set<std::size_t>, std::size_t> lower;
            std::map<std::size_t, std::set<std::size_t>> leaves;
            for (const auto& [ends, all] : bundles_) {
                if (groups_[ends.first].row == row) { leaves[ends.first].insert(into[ends.second]); }
            }
            for (std::size_t g = 0; g < groups_.size(); ++g) {
                if (groups_[g].row == row) { into[g] = lower.try_emplace(leaves[g], g).first->second; }
            }
            merge(into);
        }
    }

    void merge(const std::vector<std::size_t>& into) {
        std::vector<std::size_t> number(groups_.size());
        std::vector<Group> kept;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (into[g] == g) {
                number[g] = kept.size();
                kept.push_back(std::move(groups_[g]));
                continue;
            }
            Group& whole = kept[number[into[g]]];
            number[g] = number[into[g]];
            whole.members.insert(whole.members.end(), groups_[g].members.begin(), groups_[g].members.end());
            whole.merged += groups_[g].merged;
            whole.switches += groups_[g].switches;
        }
        groups_ = std::move(kept);
        const auto old = std::exchange(bundles_, {});
        for (const auto& [ends, all] : old) { bundle(number[ends.first], number[ends.second], all); }
    }

    const Fabric& fabric_;
    const std::vector<std::string>& hosts_;
    std::map<std::uint32_t, std::size_t> behind_;  // the switches that a device stands for
    std::vector<Cable> cables_;
    std::vector<std::uint32_t> row_;  // of each vertex: hops from the nodes
    std::size_t rows_ = 1;
    std::vector<std::size_t> group_of_;
    std::vector<Group> groups_;
    std::map<std::pair<std::size_t, std::size_t>, Bundle> bundles_;
};

}  // namespace

std::string box_name(const Group& group) {
    const std::string list = hostlist_text(group.members);
    if (group.merged > 1 && group.row == 0) {
        return group.members.size() % group.merged == 0
                   ? fmt::format("{} x {}", group.merged, plural(group.members.size() / group.merged, "node"))
                   : fmt::format("{} racks", group.merged);
    }
    if (group.members.size() == 1) { return list; }
    if (group.row == 0) { return plural(group.members.size(), "node"); }
    const std::string switches = fmt::format("{} x {}", group.switches, list);
    return switches.size() <= 18 && group.switches == group.members.size() ? switches
                                                                           : plural(group.switches, "switch");
}

Racks racks_of(const Fabric& fabric, const std::vector<std::string>& hosts) { return Grouping(fabric, hosts).racks(); }

}  // namespace fabricast::inline report::html
