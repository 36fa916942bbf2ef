#pragma once
// Where a result's time went: the stretches of its critical path, each with what bound it. They add up to the whole.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::inline explain {

enum class BlameKind : std::uint8_t {
    compute,    // kernels at the speed that they have when they run alone
    bandwidth,  // bytes on a link at the link's full rate
    latency,    // of links and switches, and windows of buffers that wait for a round trip
    protocol,   // what library and transport add: hops, the channels' copy loops, starts
    launch,     // the host: issuing work, and what a framework adds once per step
    wait        // for other operations: on a link, on a GPU's SMs and memory, or in a queue
};
std::string_view to_string(BlameKind kind);

struct Blame {
    BlameKind kind = BlameKind::wait;
    std::string what;  // "nic-port", "hop between nodes", "arithmetic"
    std::string part;  // part of the workload: "tensor-parallel", "nvls-tree simple"; may be empty
    std::string hop;   // a representative link: "node0.nic0 -> leaf0"; empty if the time was not spent on a link
    double seconds = 0;
};

// Whether two entries differ at most in their seconds and in the device numbers of their hops.
bool alike(const Blame& a, const Blame& b);

// The total seconds of each kind.
std::map<BlameKind, double> by_kind(const std::vector<Blame>& blames);

// Collects stretches. Stretches that are alike() become one entry under the name of the first hop.
class BlameSheet {
public:
    void add(BlameKind kind, std::string_view what, std::string_view hop, double seconds, std::string_view part = "");
    // Adds the entries of another sheet, with their seconds times `factor`, as part `part` of the workload.
    void add(const BlameSheet& other, std::string_view part, double factor);
    double total() const;
    // Largest first; equal entries in the order of kind, part and what.
    std::vector<Blame> sorted() const;

private:
    std::vector<Blame> entries_;
};

}  // namespace fabricast::inline explain
