#include "discovery/site/wiring.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/text.hpp"

namespace fabricast::inline site {

namespace {

class Wirer {
public:
    Wirer(Site& site, const std::vector<NicSeen>& known) : site_(site), known_(known) {}

    Wiring wire() {
        wiring_.placed.assign(site_.devices.size(), {});
        choose_hosts();
        choose_labels();
        bundle();
        number_tiers();
        order_hosts();
        place();
        if (set_aside()) { place(); }
        return std::move(wiring_);
    }

private:
    // Most adapters belong to nodes of the usual kind. A node that lost one of its cables is still of that kind; one
    // with half as many, a login or storage host, is not.
    void choose_hosts() {
        std::map<std::size_t, std::size_t> adapters_by_count;
        for (const SiteHost& host : site_.hosts) { adapters_by_count[host.adapters.size()] += host.adapters.size(); }
        const auto usual =
            std::ranges::max_element(adapters_by_count, {}, [](const auto& entry) { return entry.second; });
        usual_ = usual == adapters_by_count.end() ? 0 : usual->first;
        for (std::uint32_t h = 0; h < site_.hosts.size(); ++h) {
            const SiteHost& host = site_.hosts[h];
            const bool alike = host.adapters.size() * 2 > usual_ && host.adapters.size() <= usual_ + usual_ / 2;
            const bool gpus = host.inside && !host.inside->gpus.empty();
            if (usual_ == 0 ? gpus : alike) {
                wiring_.hosts.push_back(h);
            } else if (site_.trays == 0) {
                ++site_.dropped["host of another kind"];
            }
        }
    }

    void choose_labels() {
        std::map<std::string, std::size_t> uses;
        for (const std::uint32_t h : wiring_.hosts) {
            for (const std::uint32_t adapter : site_.hosts[h].adapters) { ++uses[site_.devices[adapter].nic]; }
        }
        std::vector<std::string> labels;
        for (const auto& [label, count] : uses) { labels.push_back(label); }
        std::ranges::sort(labels, natural_less);
        if (labels.size() != usual_) {
            // Hosts call their adapters differently, or all alike: their order in the host decides.
            by_label_ = false;
            labels.clear();
            for (std::size_t i = 0; i < usual_; ++i) { labels.push_back("adapter " + std::to_string(i)); }
        }
        const auto place_in_known = [&](const std::string& label) {
            return static_cast<std::size_t>(std::ranges::find(known_, label, &NicSeen::name) - known_.begin());
        };
        const bool named = by_label_ && std::ranges::all_of(labels, [&](const std::string& label) {
                               return place_in_known(label) < known_.size();
                           });
        if (named) { std::ranges::sort(labels, {}, place_in_known); }
        if (!known_.empty() && labels.size() > known_.size()) {
            site_.dropped["adapter that the node's own file does not name"] +=
                (labels.size() - known_.size()) * wiring_.hosts.size();
            labels.resize(known_.size());
        }
        wiring_.labels = std::move(labels);
    }

    void bundle() {
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::string>, Bundle> bundles;
        for (const SiteCable& cable : site_.cables) {
            Bundle made{cable.a, cable.b, 0, cable.megabits, cable.technology, cable.trust};
            if (site_.devices[made.b].adapter) { std::swap(made.a, made.b); }
            if (site_.devices[made.b].adapter) {
                ++site_.dropped["cable between two hosts"];
                continue;
            }
            if (!site_.devices[made.a].adapter && made.b < made.a) { std::swap(made.a, made.b); }
            Bundle& own = bundles.try_emplace({made.a, made.b, made.megabits, made.technology}, made).first->second;
            ++own.cables;
        }
        for (auto& [key, made] : bundles) { wiring_.bundles.push_back(std::move(made)); }
    }

    // Distance from the nearest adapter of a node of the cluster.
    void number_tiers() {
        wiring_.tier.assign(site_.devices.size(), -1);
        std::vector<bool> ours(site_.hosts.size(), false);
        for (const std::uint32_t h : wiring_.hosts) { ours[h] = true; }
        std::vector<std::vector<std::uint32_t>> beside(site_.devices.size());
        std::deque<std::uint32_t> next;
        for (const Bundle& bundle : wiring_.bundles) {
            const SiteDevice& low = site_.devices[bundle.a];
            if (!low.adapter) {
                beside[bundle.a].push_back(bundle.b);
                beside[bundle.b].push_back(bundle.a);
            } else if (ours[low.host] && wiring_.tier[bundle.b] < 0) {
                wiring_.tier[bundle.b] = 0;
                next.push_back(bundle.b);
            }
        }
        for (; !next.empty(); next.pop_front()) {
            for (const std::uint32_t other : beside[next.front()]) {
                if (wiring_.tier[other] >= 0) { continue; }
                wiring_.tier[other] = wiring_.tier[next.front()] + 1;
                next.push_back(other);
            }
        }
        std::erase_if(wiring_.bundles, [&](const Bundle& bundle) {
            const SiteDevice& low = site_.devices[bundle.a];
            return low.adapter ? !ours[low.host] : wiring_.tier[bundle.b] < 0;
        });
        for (std::uint32_t d = 0; d < site_.devices.size(); ++d) {
            if (!wiring_.hosts.empty() && !site_.devices[d].adapter && wiring_.tier[d] < 0) {
                ++site_.dropped["switch without a way to the nodes"];
            }
        }
        for (Bundle& bundle : wiring_.bundles) {
            if (!site_.devices[bundle.a].adapter && wiring_.tier[bundle.a] > wiring_.tier[bundle.b]) {
                std::swap(bundle.a, bundle.b);
            }
        }
    }

    // Hosts that share leaves stand side by side, groups that share the switches above next to each other; in a group
    // the names decide.
    void order_hosts() {
        std::unordered_map<std::uint32_t, std::uint32_t> leaf;  // by adapter
        for (const Bundle& bundle : wiring_.bundles) {
            if (site_.devices[bundle.a].adapter) { leaf.emplace(bundle.a, bundle.b); }
        }
        const std::vector<std::uint32_t> block = blocks();
        const auto name = [&](std::uint32_t host) -> const std::string& { return site_.hosts[host].name; };
        // The host with the first name stands for its group.
        std::map<std::uint32_t, std::uint32_t> first_at_leaf, first_of_block;
        const auto keep_first = [&](std::map<std::uint32_t, std::uint32_t>& first, std::uint32_t group,
                                    std::uint32_t host) {
            const auto [at, added] = first.emplace(group, host);
            if (!added && natural_less(name(host), name(at->second))) { at->second = host; }
        };
        struct Key {
            std::uint32_t block, leaf, host;
        };
        std::vector<Key> keys;
        std::map<std::uint32_t, std::size_t> size;  // of the group at a leaf
        std::size_t spread = 0;
        for (const std::uint32_t h : wiring_.hosts) {
            Key key{no_index, no_index, h};
            std::set<std::uint32_t> leaves;
            for (const std::uint32_t adapter : sorted_adapters(h)) {
                const auto found = leaf.find(adapter);
                if (found == leaf.end()) { continue; }
                if (leaves.empty()) { key = {block[found->second], found->second, h}; }
                leaves.insert(found->second);
            }
            spread += leaves.size() == site_.hosts[h].adapters.size() ? 1 : 0;
            ++size[key.leaf];
            keep_first(first_at_leaf, key.leaf, h);
            keep_first(first_of_block, key.block, h);
            keys.push_back(key);
        }
        // Of rails, a unit that is not full comes last; where NICs fill one leaf after the other, names decide alone.
        const bool rails = spread * 2 > wiring_.hosts.size();
        std::ranges::sort(keys, [&](const Key& a, const Key& b) {
            if (a.block != b.block) {
                return natural_less(name(first_of_block[a.block]), name(first_of_block[b.block]));
            }
            if (a.leaf == b.leaf) { return natural_less(name(a.host), name(b.host)); }
            const std::size_t of_a = size[a.leaf], of_b = size[b.leaf];
            return rails && of_a != of_b ? of_a > of_b
                                         : natural_less(name(first_at_leaf[a.leaf]), name(first_at_leaf[b.leaf]));
        });
        std::ranges::transform(keys, wiring_.hosts.begin(), &Key::host);
    }

    // Leaves that meet below the topmost tier form a block (a pod).
    std::vector<std::uint32_t> blocks() const {
        std::vector<std::uint32_t> root(site_.devices.size());
        for (std::uint32_t d = 0; d < root.size(); ++d) { root[d] = d; }
        const auto find = [&](std::uint32_t d) {
            while (root[d] != d) { d = root[d] = root[root[d]]; }
            return d;
        };
        const int top = static_cast<int>(wiring_.tiers()) - 1;
        for (const Bundle& bundle : wiring_.bundles) {
            const bool below = !site_.devices[bundle.a].adapter && wiring_.tier[bundle.b] < top;
            if (below) { root[std::max(find(bundle.a), find(bundle.b))] = std::min(find(bundle.a), find(bundle.b)); }
        }
        for (std::uint32_t d = 0; d < root.size(); ++d) { root[d] = top < 2 ? 0 : find(d); }
        return root;
    }

    std::vector<std::uint32_t> sorted_adapters(std::uint32_t host) const {
        std::vector<std::uint32_t> adapters = site_.hosts[host].adapters;
        std::ranges::stable_sort(adapters, [&](std::uint32_t a, std::uint32_t b) {
            return natural_less(site_.devices[a].nic, site_.devices[b].nic);
        });
        return adapters;
    }

    void place() {
        std::map<std::string, std::uint32_t> at;
        for (std::uint32_t i = 0; i < wiring_.labels.size(); ++i) { at[wiring_.labels[i]] = i; }
        for (std::uint32_t node = 0; node < wiring_.hosts.size(); ++node) {
            std::uint32_t next = 0;
            for (const std::uint32_t adapter : sorted_adapters(wiring_.hosts[node])) {
                const auto known = at.find(site_.devices[adapter].nic);
                const std::uint32_t nic = !by_label_ ? next++ : known == at.end() ? no_index : known->second;
                if (nic < wiring_.labels.size()) { wiring_.placed[adapter] = {node, nic}; }
            }
        }
        wiring_.leaf_of.assign(wiring_.hosts.size() * wiring_.labels.size(), no_index);
        std::erase_if(wiring_.bundles, [&](const Bundle& bundle) {
            return site_.devices[bundle.a].adapter && !wiring_.placed[bundle.a].in();
        });
        for (const Bundle& bundle : wiring_.bundles) {
            const Placed& end = wiring_.placed[bundle.a];
            if (end.in()) { wiring_.leaf_of[end.node * wiring_.labels.size() + end.nic] = bundle.b; }
        }
    }

    // Nodes with a missing cable that no peer tells stand last, so that a scenario may end before them.
    bool set_aside() {
        const Rails rails(wiring_.leaf_of, wiring_.labels.size());
        std::vector<std::uint32_t> first, last;
        for (std::uint32_t node = 0; node < rails.nodes(); ++node) {
            const bool lost = !rails.whole(node) && rails.unit_of(node) == nullptr;
            (lost ? last : first).push_back(wiring_.hosts[node]);
        }
        if (last.empty() || first.empty()) { return false; }
        first.insert(first.end(), last.begin(), last.end());
        wiring_.hosts = std::move(first);
        return true;
    }

    Site& site_;
    const std::vector<NicSeen>& known_;
    Wiring wiring_;
    std::size_t usual_ = 0;
    bool by_label_ = true;
};

}  // namespace

std::size_t Wiring::tiers() const {
    const auto highest = std::ranges::max_element(tier);
    return highest == tier.end() ? 0 : static_cast<std::size_t>(*highest + 1);
}

std::vector<std::uint32_t> Wiring::switches_of(int of_tier) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t d = 0; d < tier.size(); ++d) {
        if (tier[d] == of_tier) { found.push_back(d); }
    }
    return found;
}

Wiring wire(Site& site, const std::vector<NicSeen>& known) { return Wirer(site, known).wire(); }

bool natural_less(std::string_view a, std::string_view b) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    while (!a.empty() && !b.empty()) {
        if (digit(a.front()) && digit(b.front())) {
            const std::size_t la = std::min(a.find_first_not_of("0123456789"), a.size());
            const std::size_t lb = std::min(b.find_first_not_of("0123456789"), b.size());
            const auto na = number_in<std::uint64_t>(a.substr(0, la)).value_or(0);
            const auto nb = number_in<std::uint64_t>(b.substr(0, lb)).value_or(0);
            if (na != nb) { return na < nb; }
            a.remove_prefix(la);
            b.remove_prefix(lb);
        } else if (a.front() != b.front()) {
            return a.front() < b.front();
        } else {
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.size() < b.size();
}

}  // namespace fabricast::inline site
