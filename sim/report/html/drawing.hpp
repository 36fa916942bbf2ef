#pragma once
// A cluster as a picture: a few boxes, the wires between them, and what the wires carry frame by frame. Of many nodes a
// few are drawn and the others stand folded beside them; so of many switches.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

struct Box {
    std::string name;  // "node0.gpu3", "leaf1", "126 more nodes"
    std::string kind;  // "gpu" ... as Fabric's DeviceKind says; "folded"
    int node = -1;     // of the cluster; -1: a switch of the fabric
    int tier = 0;      // of a switch: 1 next to the nodes, counting up; of a node's device: 0
};

// What one direction of a wire does in one frame. Shares are of its capacity or of the frame's time; negative: not
// known.
struct Load {
    double busy = -1;
    double queued_bytes = -1;
    double paused = -1;
};

struct WireDirection {
    std::string name;         // as `topo` has it; of cables beside each other with its number; empty: there is none
    std::vector<Load> loads;  // one a frame
};

// A cable with its two directions. Several between the same boxes are several wires.
struct Wire {
    std::uint32_t a = 0, b = 0;  // boxes
    std::string cls;             // "nvlink"
    double capacity = 0;         // bytes per second of one direction
    std::uint32_t cables = 1;
    WireDirection there = {}, back = {};  // from `a` to `b`, from `b` to `a`
};

struct Drawing {
    std::vector<Box> boxes;
    std::vector<Wire> wires;
    std::string frame_kind;           // "message size", "time"
    std::vector<std::string> frames;  // their labels; may be empty
    std::string folded;               // "Not drawn: 124 more nodes."; empty: all are
    bool circle = false;              // boxes in a ring, not in tiers
};

// What is shown on the wires.
struct Film {
    std::vector<std::string> frames;
    std::function<Load(std::size_t frame, LinkId link)> load = {};
    std::vector<LinkId> focus_links = {};  // their nodes are drawn first
};

inline constexpr std::uint32_t nodes_drawn = 4;      // more of them where they are narrow
inline constexpr std::uint32_t switches_drawn = 16;  // of a tier

Drawing draw_film(const Fabric& fabric, const Film& animation);

// The cluster with the heat of each row's replay: each link's own load. Of a fabric with more than links_kept links
// only of those that a row lists, and of those alike; the others have the mean of their class.
Drawing draw(const Fabric& fabric, const std::vector<LinkTraffic>& traffic);

}  // namespace fabricast::html
