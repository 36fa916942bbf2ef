#include "discovery/site/rails.hpp"

#include <algorithm>

namespace fabricast::inline site {

namespace {

// Rails meet different leaves; NICs that all meet one leaf are filled in order, and a node may well straddle two.
bool distinct(Leaves leaves) {
    std::ranges::sort(leaves);
    return std::ranges::adjacent_find(leaves) == leaves.end();
}

bool complete(const Leaves& leaves) { return std::ranges::find(leaves, no_index) == leaves.end(); }

}  // namespace

Rails::Rails(const std::vector<std::uint32_t>& leaf_of, std::size_t nics) {
    for (std::size_t first = 0; nics > 0 && first + nics <= leaf_of.size(); first += nics) {
        const auto begin = leaf_of.begin() + static_cast<std::ptrdiff_t>(first);
        of_node_.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(nics));
        ++counts_[of_node_.back()];
    }
    for (const auto& [leaves, count] : counts_) {
        if (count < 2 || !complete(leaves)) { continue; }
        for (const std::uint32_t leaf : leaves) { at_leaf_[leaf].push_back(&leaves); }
    }
}

bool Rails::whole(std::uint32_t node) const { return complete(of_node_[node]); }

const Leaves* Rails::unit_of(std::uint32_t node) const {
    const Leaves& own = of_node_[node];
    const Leaves* best = nullptr;
    std::size_t most = own.size() / 2;
    for (const std::uint32_t leaf : own) {
        const auto rows = at_leaf_.find(leaf);
        if (rows == at_leaf_.end()) { continue; }
        for (const Leaves* row : rows->second) {
            std::size_t same = 0;
            for (std::size_t i = 0; i < own.size(); ++i) { same += own[i] == (*row)[i] ? 1U : 0U; }
            const bool commoner = !whole(node) || (counts_.at(*row) > 2 * counts_.at(own) && distinct(*row));
            if (same > most && same < own.size() && commoner) {
                most = same;
                best = row;
            }
        }
    }
    return best;
}

}  // namespace fabricast::inline site
