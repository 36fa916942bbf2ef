#include "discovery/wired_devices.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/text.hpp"

namespace fabricast::inline discovery {

namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool is_outside(std::string_view role) {
    return contains_any(role, {"fake", "oob", "mgmt", "management", "exit", "internet", "console", "pdu", "testserv"});
}

bool is_switch_word(std::string_view role) {
    return contains_any(role,
                        {"leaf", "spine", "tor", "switch", "router", "core", "fanout", "sonic", "bridge", "fabric"});
}

bool is_host_word(std::string_view role) {
    return contains_any(role, {"host", "server", "station", "dpu", "node", "gpu"});
}

}  // namespace

WiredDevices::Wired& WiredDevices::device(std::string_view name, const SourceLocation& at) {
    const std::string key = lower_case(trimmed(name, " \t\"'"));
    Wired& wired = devices_[key];
    if (wired.seen.key.empty()) {
        wired.seen.key = key;
        wired.seen.name = switch_name(key);
        std::ranges::replace(wired.seen.name, ' ', '-');  // "Server 1" of a plan
        wired.seen.at = at;
    }
    return wired;
}

void WiredDevices::add(const CableEnd& a, const CableEnd& b, std::int64_t megabits, const SourceLocation& at,
                       const std::string& technology) {
    CableSeen cable{{}, {}, megabits, technology, at};
    for (const auto& [end, into] : {std::pair(&a, &cable.a), std::pair(&b, &cable.b)}) {
        Wired& wired = device(end->device, at);
        *into = {wired.seen.key, std::string(trimmed(end->port, " \t\""))};
        ++wired.cables;
        wired.switch_ports += names_switch_port(into->port) ? 1 : 0;
        wired.host_ports += names_host_port(into->port) ? 1 : 0;
    }
    if (cable.a.device == cable.b.device) {
        ++dropped_["loopback"];
        return;
    }
    if (cable.b.device < cable.a.device) { std::swap(cable.a, cable.b); }
    cables_.push_back(std::move(cable));
}

void WiredDevices::state(std::string_view name, std::string_view role, const SourceLocation& at) {
    Wired& wired = device(name, at);
    const std::string word = lower_case(role);
    if (is_outside(word)) {
        wired.dropped = true;
    } else if (is_switch_word(word)) {
        wired.seen.role = Role::fabric_switch;
    } else if (is_host_word(word)) {
        wired.seen.role = Role::host;
    }
}

Observations WiredDevices::finish() {
    Observations seen;
    const auto left_out = [&](const CableSeen& cable) {
        return devices_.at(cable.a.device).dropped || devices_.at(cable.b.device).dropped;
    };
    const auto outside = static_cast<std::uint64_t>(std::ranges::count_if(cables_, left_out));
    std::erase_if(cables_, left_out);
    if (outside > 0) { dropped_["cable of a management network"] += outside; }
    // The `eth0` of a switch is its management port.
    const auto managed = std::erase_if(cables_, [&](const CableSeen& cable) {
        return std::ranges::any_of(std::array{&cable.a, &cable.b}, [&](const CableEnd* end) {
            return end->port == "eth0" && devices_.at(end->device).switch_ports > 0;
        });
    });
    if (managed > 0) { dropped_["management port"] += managed; }
    const auto ends = [](const CableSeen& c) { return std::tie(c.a.device, c.a.port, c.b.device, c.b.port); };
    std::ranges::stable_sort(cables_, {}, ends);
    cables_.erase(std::unique(cables_.begin(), cables_.end(),
                              [&](const CableSeen& a, const CableSeen& b) {
                                  return ends(a) == ends(b) && !(a.a.port.empty() && a.b.port.empty());
                              }),
                  cables_.end());
    // A switch has more cables than the hosts below it, and what is at a host's port is one.
    std::map<std::string, int> most_beside;
    const auto has_host_ports = [&](const CableEnd& end) {
        const Wired& wired = devices_.at(end.device);
        return wired.host_ports > wired.switch_ports;
    };
    for (const CableSeen& cable : cables_) {
        int& a = most_beside[cable.a.device];
        int& b = most_beside[cable.b.device];
        a = std::max(a, devices_.at(cable.b.device).cables);
        b = std::max(b, devices_.at(cable.a.device).cables);
        devices_.at(cable.a.device).beside_host |= has_host_ports(cable.b);
        devices_.at(cable.b.device).beside_host |= has_host_ports(cable.a);
    }
    for (auto& [key, wired] : devices_) {
        if (wired.dropped) { continue; }
        // A server's port may be called "0", as a switch's.
        if (wired.seen.role == Role::unknown && is_host_word(key) && !is_switch_word(key)) {
            wired.seen.role = Role::host;
        }
        if (wired.seen.role == Role::unknown && wired.switch_ports != wired.host_ports) {
            wired.seen.role = wired.switch_ports > wired.host_ports ? Role::fabric_switch : Role::host;
        }
        if (wired.seen.role == Role::unknown) {
            const bool host = !is_switch_word(key) && !wired.beside_host && wired.cables <= most_beside[key];
            wired.seen.role = is_host_word(key) || host ? Role::host : Role::fabric_switch;
        }
        if (wired.seen.role == Role::host) { wired.seen.name = host_name(wired.seen.name); }
        seen.devices.push_back(wired.seen);
    }
    seen.cables = std::move(cables_);
    seen.dropped = std::move(dropped_);
    return seen;
}

}  // namespace fabricast::inline discovery
