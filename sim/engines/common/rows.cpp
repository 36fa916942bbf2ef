#include "sim/engines/common/rows.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/hash.hpp"
#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline engine_common {

namespace {

constexpr std::uint32_t no_edge_set = 0xffffffffU;

struct ChildKey {
    std::uint32_t parent;
    CrossingCount count;
    bool operator==(const ChildKey&) const = default;
};

struct ChildHash {
    std::size_t operator()(const ChildKey& key) const {
        return mix(mix(key.parent ^ std::bit_cast<std::uint64_t>(key.count.inside)) ^
                   std::bit_cast<std::uint64_t>(key.count.network));
    }
};

}  // namespace

RowMerger::RowMerger(std::uint32_t links) : node_of_link_(links, unused), nodes_(1, Node{unused, no_edge_set, {}}) {}

void RowMerger::keep_apart(LinkId link) {
    signature_.resize(node_of_link_.size());
    signature_[static_cast<std::uint32_t>(link)] += mix(~static_cast<std::uint64_t>(link));
}

// Links with the same paths get the same sum; sums of other sets of 64-bit random numbers agree about once in 2^64.
void RowMerger::add_path(std::span<const LinkId> path) {
    signature_.resize(node_of_link_.size());
    const std::uint64_t number = mix(path_number_++);
    for (const LinkId link : path) { signature_[static_cast<std::uint32_t>(link)] += number; }
}

void RowMerger::end_paths() {
    std::unordered_map<std::uint64_t, std::uint32_t> node_of_signature;
    for (std::size_t link = 0; link < signature_.size(); ++link) {
        if (signature_[link] == 0) { continue; }
        const auto [place, is_new] =
            node_of_signature.try_emplace(signature_[link], static_cast<std::uint32_t>(nodes_.size()));
        if (is_new) { nodes_.push_back({unused, no_edge_set, {}}); }
        node_of_link_[link] = place->second;
    }
    signature_ = {};
}

std::uint32_t RowMerger::end_edge_set() {
    std::unordered_map<ChildKey, std::uint32_t, ChildHash> children;
    ChildKey last_key{0xffffffffU, {}};
    std::uint32_t last_child = 0;
    for (const std::uint32_t link : counted_) {
        const ChildKey key{node_of_link_[link], counts_[link]};
        counts_[link] = {};
        if (!(key == last_key)) {
            const auto [place, is_new] = children.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
            if (is_new) { nodes_.push_back({key.parent, edge_sets_, key.count}); }
            last_key = key;
            last_child = place->second;
        }
        node_of_link_[link] = last_child;
    }
    counted_.clear();
    return edge_sets_++;
}

void RowMerger::finish(const std::function<LinkInfo(LinkId)>& link, Network& network) {
    counts_ = {};
    counted_ = {};
    std::vector<std::uint32_t> row_of_node(nodes_.size(), Network::no_row);
    std::vector<std::vector<LinkPart>> parts;
    std::vector<std::uint32_t> part_in_row(node_of_link_.size() <= links_kept ? node_of_link_.size() : 0);
    crossings_.assign(edge_sets_, {});
    for (std::uint32_t id = 0; id < node_of_link_.size(); ++id) {
        if (node_of_link_[id] == unused) {
            node_of_link_[id] = Network::no_row;
            continue;
        }
        std::uint32_t& row = row_of_node[node_of_link_[id]];
        if (row == Network::no_row) {
            row = static_cast<std::uint32_t>(parts.size());
            parts.emplace_back();
            for (std::uint32_t node = node_of_link_[id]; node != unused; node = nodes_[node].parent) {
                if (nodes_[node].edge_set != no_edge_set) {
                    crossings_[nodes_[node].edge_set].push_back({row, nodes_[node].count});
                }
            }
        }
        node_of_link_[id] = row;
        const LinkInfo info = link(LinkId{id});
        std::vector<LinkPart>& mine = parts[row];
        auto part = std::ranges::find_if(
            mine, [&](const LinkPart& known) { return known.cls == info.cls && known.capacity == info.capacity; });
        if (part == mine.end()) { part = mine.insert(part, {LinkId{id}, info.cls, info.capacity, 0}); }
        ++part->count;
        if (!part_in_row.empty()) { part_in_row[id] = static_cast<std::uint32_t>(part - mine.begin()); }
    }
    for (const std::vector<LinkPart>& mine : parts) {
        double smallest = std::numeric_limits<double>::infinity();
        for (const LinkPart& part : mine) {
            smallest = std::min(smallest, part.capacity);
            network.parts.push_back(part);
        }
        network.capacity.push_back(smallest);
        network.part_end.push_back(static_cast<std::uint32_t>(network.parts.size()));
    }
    network.part_of_link = std::move(part_in_row);
    for (std::size_t id = 0; id < network.part_of_link.size(); ++id) {
        const std::uint32_t row = node_of_link_[id];
        std::uint32_t& part = network.part_of_link[id];
        part = row == Network::no_row ? row : static_cast<std::uint32_t>(network.part_begin(row)) + part;
    }
}

}  // namespace fabricast::inline engine_common
