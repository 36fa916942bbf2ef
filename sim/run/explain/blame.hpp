#pragma once
// Where the time of a result went: stretches of its critical path by what bound them. Seconds add up to the whole.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

enum class BlameKind : std::uint8_t {
    compute,    // kernels at the pace that they have alone
    bandwidth,  // bytes on a link as fast as it carries them
    latency,    // of links and switches, and windows that wait for a round trip
    protocol,   // what library and transport add: hops, channels' copy loops, starts
    launch,     // the host: issuing, what a framework adds once a step
    wait        // for others on a link, on a GPU's SMs and memory, or in a queue
};
std::string_view to_string(BlameKind kind);

struct Blame {
    BlameKind kind = BlameKind::wait;
    std::string what;  // "nic-port", "hop between nodes", "arithmetic"
    std::string part;  // of the workload: "tensor-parallel", "nvls-tree simple"; may be empty
    std::string hop;   // a link that stands for it: "node0.nic0 -> leaf0"; empty where it is no link's
    double seconds = 0;
};

// The same kind of stretch: equal but for seconds and the numbers of the hop's devices.
bool alike(const Blame& a, const Blame& b);

// Seconds of each kind.
std::map<BlameKind, double> by_kind(const std::vector<Blame>& blames);

// Collects stretches; those alike in kind, part, what and hop are one entry, under the name of the first hop. Hops that
// differ only in their devices' numbers are alike.
class BlameSheet {
public:
    void add(BlameKind kind, std::string_view what, std::string_view part, std::string_view hop, double seconds);
    // Adds another sheet's entries, each times `factor`, as the workload's `part`.
    void add(const BlameSheet& other, std::string_view part, double factor);
    double total() const;
    // Largest first; equal ones in the order of kind, part and what.
    std::vector<Blame> sorted() const;

private:
    std::vector<Blame> entries_;
};

}  // namespace fabricast
