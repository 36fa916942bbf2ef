#pragma once
// A shape falls into parts that share no port, service or piece with each other: a call in every node, or on every
// rail, is as many parts. A buffer couples what it holds only where it pauses its inputs: parts may be told apart by
// buffers, too, or only by what else they touch. Parts whose streams and links correspond in number, order and every
// property are of one kind: what happens on the links of one happens on those of another.

#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sim/engines/packet/flows.hpp"
#include "sim/engines/packet/signature.hpp"

namespace fabricast::inline packet {

struct Part {
    std::uint32_t kind = 0;
    std::uint32_t crossing = 0, releasing = 0;  // streams that cross a port; of them, those that release the pipeline
    bool controlled = false;                    // some of its flows are under congestion control
    std::vector<std::uint32_t> streams;         // of the shape, in order
    // What it touches, in the same order for parts of one kind; ports that a pause frame takes back are among them.
    std::vector<std::uint32_t> ports, buffers, services;
    std::vector<std::uint32_t> resources;  // what tells it apart, numbered: ports, then nodes, then services
};

struct Parts {
    std::vector<std::vector<Part>> of_shape;
    std::vector<std::vector<std::uint32_t>> part_of;  // shape, stream: the part
    std::vector<std::uint64_t> uses;                  // per kind: how many parts of all pipelines are of it
};

Parts find_parts(const Traffic& traffic, bool apart_by_buffers);

// What each part meets, and groups of which each meets another directly or by others.
using Meets = std::map<std::uint32_t, std::set<std::uint32_t>>;
std::vector<std::vector<std::uint32_t>> connected(const Meets& meets);

// A part of this pipeline that has begun.
struct Begun {
    const Part* part = nullptr;
    std::uint32_t pipeline = 0;
    Ps at = 0;
};

// Equal if the parts are of the same kinds and pipelines, began at the same times, and share links in the same way.
PartKey joint_key(const Network& net, std::span<const Begun> parts);

}  // namespace fabricast::inline packet
