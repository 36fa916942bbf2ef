#pragma once
// What the readers of InfiniBand's tools share: how a node description is understood, and what is left out.

#include <set>
#include <string>
#include <string_view>

#include "discovery/observation.hpp"

namespace fabricast::inline discovery {

class InfinibandFabric {
public:
    // Adds a device under its description, "a08-p1-dgx-04 mlx5_5" or "MF0;ibsw1:MQM9700/U1", and returns its key. A
    // device that is not a part of the fabric is counted and left out, with its cables.
    std::string add(DeviceSeen device, std::string_view description);
    // The rate follows from the technology, "4xNDR", unless it is stated.
    void add_cable(CableEnd a, CableEnd b, std::string technology, const SourceLocation& at, std::int64_t megabits = 0);

    // "node01 HCA-1", as far as a description tells; a switch without a name is a "SwitchX -  Mellanox Technologies".
    static bool names_host(std::string_view description);

    // Every cable once: a tool lists it at both of its ends.
    Observations finish();

private:
    Observations seen_;
    std::set<std::string> known_, left_out_;
    std::size_t unnamed_ = 0;  // adapters with the description of the factory
};

}  // namespace fabricast::inline discovery
