#include "discovery/infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"

namespace fabricast::inline discovery {

namespace {

// The adapter inside a switch that reduces for SHARP appears as a host on the switch's last port.
bool is_aggregation_node(std::string_view description) {
    return description.find("Aggregation Node") != std::string_view::npos;
}

// "host HCA-1" -> host and "HCA-1". An adapter that was given no name is its own host.
void name_adapter(DeviceSeen& device, std::string_view description) {
    const std::string_view text = trimmed(description, " \t\"'");
    const std::size_t blank = text.find_first_of(" \t");
    const bool factory = text.find("Mellanox Technologies") != std::string_view::npos || text.empty();
    device.name = factory ? "ca-" + device.key : host_name(text);
    if (!factory && blank != std::string_view::npos) { device.nic = std::string(trimmed(text.substr(blank), " \t")); }
    if (device.nic.empty()) { device.nic = "HCA-1"; }
}

auto cable_ends(const CableSeen& cable) {
    auto a = std::tie(cable.a.device, cable.a.port);
    auto b = std::tie(cable.b.device, cable.b.port);
    return a < b ? std::pair(a, b) : std::pair(b, a);
}

}  // namespace

bool InfinibandFabric::names_host(std::string_view description) {
    const std::string_view text = trimmed(description, " \t\"'");
    const std::size_t blank = text.find_last_of(" \t");
    if (blank == std::string_view::npos || text.find(';') != std::string_view::npos) { return false; }
    return names_host_port(text.substr(blank + 1)) || text.find("ConnectX") != std::string_view::npos ||
           text.find("InfiniHost") != std::string_view::npos || is_aggregation_node(text);
}

std::string InfinibandFabric::add(DeviceSeen device, std::string_view description) {
    const std::string key = device.key;
    if (device.role == Role::host && is_aggregation_node(description)) {
        if (left_out_.insert(key).second) { ++seen_.dropped["aggregation node (SHARP)"]; }
        return key;
    }
    if (!known_.insert(key).second) { return key; }
    if (device.role == Role::host) {
        name_adapter(device, description);
        if (device.name.starts_with("ca-")) { ++unnamed_; }
    } else {
        device.name = switch_name(description);
        const bool factory = device.name.empty() || device.name.find("mellanox technologies") != std::string::npos;
        if (factory) { device.name = "switch-" + key; }
    }
    seen_.devices.push_back(std::move(device));
    return key;
}

void InfinibandFabric::add_cable(CableEnd a, CableEnd b, std::string technology, const SourceLocation& at,
                                 std::int64_t megabits) {
    const std::int64_t rate = megabits > 0 ? megabits : infiniband_megabits(technology);
    seen_.cables.push_back({std::move(a), std::move(b), rate, std::move(technology), at});
}

Observations InfinibandFabric::finish() {
    std::erase_if(seen_.cables, [&](const CableSeen& cable) {
        return left_out_.contains(cable.a.device) || left_out_.contains(cable.b.device);
    });
    std::ranges::stable_sort(seen_.cables, {}, cable_ends);
    // Both ends say the same, unless one of them could not tell the rate.
    std::vector<CableSeen> once;
    const std::size_t lines = seen_.cables.size();
    for (CableSeen& cable : seen_.cables) {
        if (!once.empty() && cable_ends(once.back()) == cable_ends(cable)) {
            if (once.back().megabits == 0) { once.back() = std::move(cable); }
            continue;
        }
        once.push_back(std::move(cable));
    }
    const std::size_t twice = lines - once.size(), single = once.size() - std::min(twice, once.size());
    if (twice > single && single > 0) {
        seen_.notes.push_back(
            fmt::format("{} of {} cables stand at one end only: the file may be cut short", single, once.size()));
    }
    seen_.cables = std::move(once);
    if (unnamed_ > 0) {
        seen_.notes.push_back(std::to_string(unnamed_) +
                              " adapters have no name of a host: each counts as one of its own");
    }
    return std::move(seen_);
}

}  // namespace fabricast::inline discovery
