#pragma once
// A cluster as a picture: boxes, the wires between them, and the load of each wire frame by frame. Of a large cluster
// only a few nodes and switches are drawn; one folded box stands for the rest of each kind.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

struct Box {
    std::string name;  // "node0.gpu3", "leaf1", "126 more nodes"
    std::string kind;  // a DeviceKind of Fabric ("gpu", ...), or "folded"
    int node = -1;     // index in the cluster; -1: a switch of the fabric
    int tier = 0;      // switches: 1 next to the nodes, counting up; devices of a node: 0
};

// A wire's load, one way, in one frame: `busy` of its capacity, `paused` of the frame's time. Negative: not known.
struct Load {
    double busy = -1;
    double queued_bytes = -1;
    double paused = -1;
};

struct WireDirection {
    std::string name;         // as `topo` prints it, with a number if cables are parallel; empty: no such direction
    std::vector<Load> loads;  // one for each frame
};

// A cable with its two directions. Parallel cables between two boxes are separate wires.
struct Wire {
    std::uint32_t a = 0, b = 0;  // indices into Drawing::boxes
    std::string cls;             // link class: "nvlink"
    double capacity = 0;         // bytes per second in one direction
    std::uint32_t cables = 1;
    WireDirection there = {}, back = {};  // from `a` to `b`, from `b` to `a`
};

struct Drawing {
    std::vector<Box> boxes;
    std::vector<Wire> wires;
    std::string frame_kind;           // "message size", "time"
    std::vector<std::string> frames;  // labels of the frames; may be empty
    std::string folded;               // "Not drawn: 124 more nodes."; empty: everything is drawn
    bool circle = false;              // boxes in a ring, not in tiers
};

// What the wires show: the labels of the frames, and the load of each link in each frame.
struct Animation {
    std::vector<std::string> frames;
    std::function<Load(std::size_t frame, LinkId link)> load = {};
    std::vector<LinkId> focus_links = {};  // the nodes of these links are drawn first
};

inline constexpr std::uint32_t nodes_drawn = 4;      // 16 if nodes are narrow, 2 if they are wide
inline constexpr std::uint32_t switches_drawn = 16;  // at most, in each tier

// Whether a row's link ids are those of this fabric: one of `scaling` with fewer nodes or GPUs of a node has others.
bool has_links_of(const LinkTraffic& row, const Fabric& fabric);

Drawing draw_animation(const Fabric& fabric, const Animation& animation);

// The cluster with one frame for each row that has its links: the utilisation of each link in that row's replay. If the
// fabric has more than links_kept links, only the links that the row lists, and the equivalent links of other nodes,
// show their own load; the others show the mean of their link class.
Drawing draw(const Fabric& fabric, const std::vector<LinkTraffic>& traffic);

}  // namespace fabricast::inline report::html
