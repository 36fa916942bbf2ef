#include "sim/engines/packet/routes.hpp"

#include <algorithm>

#include "sim/engines/common/link_event.hpp"

namespace fabricast::inline packet {

namespace {

class Search {
public:
    Search(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries)
        : fabric_(task.fabric), events_(task.events), options_(options), queries_(queries) {}

    Routes find() {
        walk();
        go_round(outages_of(events_));
        return std::move(ways_);
    }

private:
    // Several ways only if the engine may choose among them: tries flow labels until enough distinct paths are found.
    void walk() {
        const int most = events_.empty() ? 32 : 31;  // leaves one number for a detour
        const int wanted = std::clamp(options_.routing == PacketRouting::ecmp ? options_.qps : options_.paths, 1, most);
        Path path;
        for (const PathQuery& query : queries_) {
            const std::uint32_t first = ways_.count();
            PathQuery labelled = query;
            for (int label = 0; label < (wanted == 1 ? 1 : 4 * wanted); ++label) {
                labelled.flow_label = query.flow_label + static_cast<std::uint32_t>(label) * 0x9e3779b9U;
                fabric_.path(labelled, path);
                add_way(first, path.span());
                const int found = static_cast<int>(ways_.count() - first);
                const bool fixed = label == 23 && found == 1;  // of two ways, one in 2^23 flows would miss the other
                if (found == wanted || fixed) { break; }
            }
            ways_.variants_end.push_back(ways_.count());
        }
    }

    // For each outage: which of a flow's ways are intact, or a detour if none is. Detours are numbered flow by flow.
    void go_round(const std::vector<Outage>& outages) {
        for (const Outage& outage : outages) {
            ways_.epochs.push_back({events_[outage.event].at.ps, std::vector<std::uint32_t>(queries_.size(), 0)});
        }
        bool any = false;
        for (std::uint32_t query = 0; query < queries_.size() && !outages.empty(); ++query) {
            const std::uint32_t variants = ways_.variants_end[query] - ways_.begin_of(query);
            std::uint32_t number = variants;
            for (std::size_t o = 0; o < outages.size(); ++o) {
                std::uint32_t& ways = ways_.epochs[o].ways[query];
                ways = whole_ways(query, outages[o]);
                if (ways == (std::uint64_t{1} << variants) - 1) {
                    ways = 0;
                } else if (ways == 0 && number <= Frame::variant_mask) {
                    if (const auto other = way_round(fabric_, queries_[query], outages[o])) {
                        ways_.detours.emplace_back(query, ways_.count());
                        const Path path = fabric_.path(*other);
                        append(path.span());
                        ways = Epoch::only | number++;
                    }
                }
                any |= ways != 0;
            }
        }
        if (!any) { ways_.epochs.clear(); }
    }

    std::uint32_t whole_ways(std::uint32_t query, const Outage& outage) const {
        std::uint32_t whole = 0;
        for (std::uint32_t w = ways_.begin_of(query); w < ways_.variants_end[query]; ++w) {
            const bool down = std::ranges::any_of(ways_.links_of(w), [&](LinkId link) { return outage.is_down(link); });
            whole |= down ? 0 : 1U << (w - ways_.begin_of(query));
        }
        return whole;
    }

    // All ways of a flow have as many links as its first way, and the same first and last link.
    void add_way(std::uint32_t first, std::span<const LinkId> path) {
        for (std::uint32_t w = first; w < ways_.count(); ++w) {
            const std::span<const LinkId> other = ways_.links_of(w);
            if (std::ranges::equal(other, path) || other.size() != path.size() || other.front() != path.front() ||
                other.back() != path.back()) {
                return;
            }
        }
        append(path);
    }

    void append(std::span<const LinkId> path) {
        ways_.links.insert(ways_.links.end(), path.begin(), path.end());
        ways_.ways_end.push_back(ways_.links.size());
    }

    const Fabric& fabric_;
    const std::vector<LinkEvent>& events_;
    const Packet& options_;
    const std::vector<PathQuery>& queries_;
    Routes ways_;
};

}  // namespace

Routes find_ways(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries) {
    return Search(task, options, queries).find();
}

}  // namespace fabricast::inline packet
