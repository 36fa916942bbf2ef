#pragma once
// A node as NCCL's search sees it: rates of links and slots, the rails in use, and the rings that a mesh can carry.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/plan/collectives/nccl/locality.hpp"
#include "sim/plan/collectives/nccl/release.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline collectives::nccl {

struct NodeBandwidths {
    const NodeTemplate& node;
    const Release& release;
    Locality places;
    std::uint32_t gpus = 1, nodes = 1;
    double nvlink_total = 0;  // per GPU and direction, as NCCL counts it
    double per_link = 0;
    double pcie = 0;  // one GPU's slot
    double inter_cpu = 0;
    double port = 0;        // one rail
    bool pxn_exit = false;  // some rail has only one GPU near it, so a ring leaves through that GPU over NVLink (PXN)
    bool ring_forwards = false;  // rings do this: PXN is on, and they do not leave by another NIC
    bool ways_across = false;    // rings change rails: each is a way through a full mesh, from a NIC to another GPU's
    int written_down = 0;        // channels of the rings that the library has written down for a full mesh; 0: searched
    std::vector<std::uint16_t> rails;

    bool several() const { return nodes > 1; }
    int max_channels() const {  // of execution
        return written_down > 0 ? written_down : static_cast<int>(release.number("channels.max"));
    }
    int most() const { return max_channels() / 2; }
    double total() const { return std::max(pcie, nvlink_total); }
    const std::vector<double>& speeds() const;  // per channel, as the search tries them
    // The speed raised from step to step, the slowest first, where `fits(next, speed)`.
    template <class Fits> double raised(double speed, const Fits& fits) const {
        for (auto next = speeds().rbegin(); next != speeds().rend(); ++next) {
            speed = *next > speed && fits(*next, speed) ? *next : speed;
        }
        return speed;
    }
};

// `port` is the line rate of one NIC, in bytes per second; it is read only if nodes > 1.
NodeBandwidths count_node(const NodeTemplate& node, std::uint32_t gpus, std::uint32_t nodes, double port,
                          const Release& release);

// How many rings of this speed each pair's NVLinks can carry, gpus x gpus.
std::vector<int> mesh_capacity(const NodeBandwidths& node, double speed);

// Whether some ring of the mesh reaches every GPU over NVLink.
bool mesh_closes(const NodeBandwidths& node);

// Whether every two GPUs have a link of their own; and whether each GPU has its own NIC, so that the links of the mesh
// are just enough for a ring through the node on every NIC.
bool full_mesh(const NodeBandwidths& node);
bool nic_of_each(const NodeBandwidths& node);
// Whether each GPU has as many NICs as any other that are nearest to it.
bool nics_of_each(const NodeBandwidths& node);

// Whether every hop of a ring inside the node is NVLink.
bool ring_on_nvlink(const NodeBandwidths& node);

}  // namespace fabricast::inline collectives::nccl
