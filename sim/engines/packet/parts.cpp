#include "sim/engines/packet/parts.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace fabricast::inline packet {

namespace {

// Numbers of things, in the order in which they are first met.
using Numbers = std::unordered_map<std::uint32_t, std::uint32_t>;

// Returns the number and whether it is new.
std::pair<std::uint32_t, bool> number_of(Numbers& numbers, std::uint32_t id) {
    const auto [at, fresh] = numbers.try_emplace(id, static_cast<std::uint32_t>(numbers.size()));
    return {at->second, fresh};
}

// Packets of one moment are taken in the order of ports, so the ports of a node must be in the same order.
void add_orders(Signature& signature, const Network& net, std::span<const std::uint32_t> ports) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_id;  // of a port, and its number among `ports`
    for (std::uint32_t n = 0; n < ports.size(); ++n) { by_id.emplace_back(ports[n], n); }
    std::ranges::sort(by_id);
    Numbers from, to;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks(by_id.size());
    for (const auto& [id, n] : by_id) { ranks[n] = {from[net.ports[id].from_node]++, to[net.ports[id].to_node]++}; }
    for (const auto& [sending, receiving] : ranks) { signature.add_all(sending, receiving); }
}

class PartFinder {
public:
    PartFinder(const Traffic& traffic, bool apart_by_buffers) : traffic_(traffic), apart_by_buffers_(apart_by_buffers) {
        owner_.assign(net_.port_count + net_.nodes.size() + net_.services.size(), none);
    }

    Parts find() {
        for (const Shape& shape : traffic_.shapes) { add(shape); }
        return std::move(parts_);
    }

private:
    std::uint32_t first_service() const { return net_.port_count + static_cast<std::uint32_t>(net_.nodes.size()); }

    bool is_buffer(std::uint32_t r) const { return r >= net_.port_count && r < first_service(); }

    // Calls visit(resource) for what a stream touches, hop by hop. With PFC, what waits in a node's buffer holds up all
    // that the node receives, and its pause frames take time on the way back.
    template <class Visit> void for_each_resource(const Route& route, Visit&& visit) const {
        for (std::uint32_t variant = 0; variant < route.variants; ++variant) {
            for (std::uint32_t hop = 0; hop < route.hops; ++hop) {
                const std::uint32_t p = net_.port_of(route, variant, hop);
                visit(p);
                for (const std::uint32_t s : net_.services_at(route, variant, hop)) { visit(first_service() + s); }
                if (net_.ports[p].control != Control::pfc || net_.ingress[p].unbounded) { continue; }
                visit(net_.port_count + net_.ports[p].to_node);
                if (net_.ingress[p].reverse != none) { visit(net_.ingress[p].reverse); }
            }
        }
    }

    const Route& route(const Shape& shape, std::uint32_t i) const {
        return traffic_.route_patterns[traffic_.flow_pattern(shape, i)];
    }

    std::uint32_t root(std::uint32_t i) {
        while (joined_[i] != i) { i = joined_[i] = joined_[joined_[i]]; }
        return i;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        a = root(a);
        b = root(b);
        joined_[std::max(a, b)] = std::min(a, b);  // the root of a part is its first stream
    }

    void add(const Shape& shape) {
        joined_.resize(shape.count);
        std::iota(joined_.begin(), joined_.end(), 0U);
        touched_.clear();
        for (std::uint32_t i = 0; i < shape.count; ++i) {
            for_each_resource(route(shape, i), [&](std::uint32_t r) {
                if (!apart_by_buffers_ && is_buffer(r)) { return; }
                if (owner_[r] == none) {
                    owner_[r] = i;
                    touched_.push_back(r);
                } else {
                    join(owner_[r], i);
                }
            });
            const Stream& stream = traffic_.stream_patterns[shape.first + i];
            for (std::uint32_t f = 0; f < stream.follower_count; ++f) {
                join(i, traffic_.followers[stream.first_follower + f].stream);
            }
        }
        for (const std::uint32_t r : touched_) { owner_[r] = none; }
        std::vector<std::uint32_t> part_of(shape.count, none);
        place_.resize(shape.count);
        std::vector<Part> parts;
        for (std::uint32_t i = 0; i < shape.count; ++i) {
            const std::uint32_t first = root(i);
            if (first == i) {
                part_of[i] = static_cast<std::uint32_t>(parts.size());
                parts.emplace_back();
            }
            part_of[i] = part_of[first];
            place_[i] = static_cast<std::uint32_t>(parts[part_of[i]].streams.size());
            parts[part_of[i]].streams.push_back(i);
        }
        for (Part& part : parts) { describe(shape, part); }
        parts_.of_shape.push_back(std::move(parts));
        parts_.part_of.push_back(std::move(part_of));
    }

    void describe(const Shape& shape, Part& part) {
        Signature signature;
        Numbers nodes;
        std::uint32_t resources = 0;
        for (const std::uint32_t i : part.streams) {
            const Stream& stream = traffic_.stream_patterns[shape.first + i];
            const Flow& flow = traffic_.flow_patterns[traffic_.flow_pattern(shape, i)];
            const Route& way = route(shape, i);
            part.crossing += way.hops > 0 ? 1U : 0U;
            part.releasing += way.hops > 0 && stream.releases ? 1U : 0U;
            part.controlled |= flow.controller != none;
            add_stream(signature, stream, flow, way);
            for_each_resource(way, [&](std::uint32_t r) {
                const bool fresh = owner_[r] == none;
                if (fresh) { owner_[r] = resources++; }
                signature.add(std::uint64_t{owner_[r]});
                if (fresh) { add_resource(signature, nodes, part, r); }
            });
            for (std::uint32_t f = 0; f < stream.follower_count; ++f) {
                const Follower& follower = traffic_.followers[stream.first_follower + f];
                const bool counts = follower.have != none;
                signature.add_all(place_[follower.stream], counts, counts ? follower.have - follower.first_have : 0,
                                  counts ? follower.have_end - follower.first_have : 0);
            }
        }
        for (const std::uint32_t r : part.resources) { owner_[r] = none; }
        for (const std::uint32_t n : part.buffers) { owner_[net_.port_count + n] = none; }
        add_orders(signature, net_, part.ports);
        const auto number = static_cast<std::uint32_t>(parts_.uses.size());
        const auto [known, fresh] = kinds_.try_emplace(signature.key(), number);
        if (fresh) { parts_.uses.push_back(0); }
        part.kind = known->second;
        parts_.uses[part.kind] += shape.uses;
    }

    static void add_stream(Signature& signature, const Stream& s, const Flow& flow, const Route& way) {
        signature.add_all(s.overhead, s.pieces, s.piece_bytes, s.last_bytes, double{s.slots}, s.slices, s.follows,
                          s.circular, s.fill_chunks, s.slot_delay, s.slots_end, s.chunk_pieces, s.releases, s.tells,
                          s.follower_count, flow.pace, flow.unit, flow.controller != none, way.hops, way.variants);
    }

    void add_resource(Signature& signature, Numbers& nodes, Part& part, std::uint32_t r) {
        if (apart_by_buffers_ || !is_buffer(r)) { part.resources.push_back(r); }
        if (r >= first_service()) {
            part.services.push_back(r - first_service());
            signature.add_all(1, net_.services[r - first_service()].inverse);
            return;
        }
        if (is_buffer(r)) {
            part.buffers.push_back(r - net_.port_count);
            signature.add_all(2, number_of(nodes, r - net_.port_count).first);
            return;
        }
        part.ports.push_back(r);
        const Port& port = net_.ports[r];
        const Ingress& in = net_.ingress[r];
        const PortCounts& counts = net_.counts[r];
        signature.add_all(3, port.latency, port.inverse, port.control, port.serves, port.simple, port.marks, port.form,
                          port.credits, in.headroom, in.return_latency, in.reaction, in.unbounded, double{counts.k_min},
                          double{counts.k_max}, counts.headers, in.reverse == none);
        for (const std::uint32_t n : {port.from_node, port.to_node}) {
            const Node& node = net_.nodes[n];
            signature.add_all(number_of(nodes, n).first, node.serves, node.network, node.buffer, node.is_switch);
        }
    }

    const Traffic& traffic_;
    const Network& net_ = traffic_.network;
    bool apart_by_buffers_;
    // Per resource: a stream of the current shape that touches it; while a part is described, its number there.
    std::vector<std::uint32_t> owner_;
    std::vector<std::uint32_t> touched_;  // resources that have an owner
    std::vector<std::uint32_t> joined_;   // per stream of the current shape: one of the same part
    std::vector<std::uint32_t> place_;    // and its place among that part's streams
    std::map<PartKey, std::uint32_t> kinds_;
    Parts parts_;
};

}  // namespace

Parts find_parts(const Traffic& traffic, bool apart_by_buffers) { return PartFinder(traffic, apart_by_buffers).find(); }

std::vector<std::vector<std::uint32_t>> connected(const Meets& meets) {
    Meets all = meets;
    for (const auto& [part, others] : meets) {
        for (const std::uint32_t other : others) { all[other].insert(part); }
    }
    std::vector<std::vector<std::uint32_t>> groups;
    while (!all.empty()) {
        std::vector<std::uint32_t> members, left{all.begin()->first};
        while (!left.empty()) {
            const auto found = all.find(left.back());
            left.pop_back();
            if (found == all.end()) { continue; }
            members.push_back(found->first);
            left.insert(left.end(), found->second.begin(), found->second.end());
            all.erase(found);
        }
        std::ranges::sort(members);
        groups.push_back(std::move(members));
    }
    return groups;
}

PartKey joint_key(const Network& net, std::span<const Begun> parts) {
    Signature signature;
    Numbers resources, nodes;
    std::vector<std::uint32_t> ports;
    for (const Begun& begun : parts) {
        signature.add_all(begun.part->kind, begun.pipeline, begun.at);
        for (const std::uint32_t r : begun.part->resources) {
            const auto [number, fresh] = number_of(resources, r);
            signature.add(std::uint64_t{number});
            if (fresh && r < net.port_count) { ports.push_back(r); }
        }
        for (const std::uint32_t n : begun.part->buffers) {
            signature.add(std::uint64_t{number_of(resources, net.port_count + n).first});
        }
    }
    for (const std::uint32_t p : ports) {
        signature.add_all(number_of(nodes, net.ports[p].from_node).first, number_of(nodes, net.ports[p].to_node).first);
    }
    add_orders(signature, net, ports);
    return signature.key();
}

}  // namespace fabricast::inline packet
