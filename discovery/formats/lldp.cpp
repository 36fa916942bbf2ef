// `lldpctl -f json` and `-f json0`: what one host or switch sees behind each of its ports. The first form collapses
// lists of one element, the second keeps them. And `-f keyvalue`, a line for each figure.

#include <algorithm>
#include <map>

#include "base/json.hpp"
#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

// The value itself, or that of {"value": x} or [{"value": x}].
std::string scalar_of(const Json& value) {
    if (value.is_array()) { return value.empty() ? std::string() : scalar_of(value.front()); }
    if (value.is_object()) { return value.contains("value") ? scalar_of(value["value"]) : std::string(); }
    return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : value.dump();
}

const Json& child_of(const Json& value, const char* key) {
    static const Json none;
    if (value.is_array()) { return value.empty() ? none : child_of(value.front(), key); }
    return value.is_object() && value.contains(key) ? value[key] : none;
}

std::string member_of(const Json& value, const char* key) { return scalar_of(child_of(value, key)); }

// The neighbour's name: json keys its chassis by it, json0 has a member `name`. One that sends no name is known by id.
std::string chassis_name(const Json& chassis) {
    if (chassis.is_array()) { return chassis.empty() ? std::string() : chassis_name(chassis.front()); }
    if (const std::string name = member_of(chassis, "name"); !name.empty()) { return name; }
    const bool keyed = chassis.is_object() && chassis.size() == 1 && chassis.begin().value().is_object() &&
                       chassis.begin().key() != "id";
    return keyed ? chassis.begin().key() : member_of(chassis, "id");
}

// Hosts that route or bridge for their containers say so as switches do, but their description names a Linux.
std::string role_of(const Json& chassis, const std::string& neighbour) {
    const Json& inner = child_of(chassis, neighbour.c_str());
    const Json& one = inner.is_null() ? chassis : inner;
    const std::string system = lower_case(member_of(one, "descr"));
    const auto names = [&](std::initializer_list<const char*> words) {
        return std::ranges::any_of(words, [&](const char* word) { return system.find(word) != std::string::npos; });
    };
    if (names({"linux", "ubuntu", "debian"}) && !names({"cumulus", "sonic", "arista", "openwrt", "nx-os"})) {
        return "host";
    }
    const Json& said = child_of(one, "capability");
    bool forwards = false;
    for (const Json& capability : said.is_array() ? said : Json::array({said})) {
        const std::string type = member_of(capability, "type");
        forwards |= (type == "Bridge" || type == "Router") && member_of(capability, "enabled") == "true";
    }
    // A name may say that it is a management switch.
    return forwards ? "switch " + neighbour : "";
}

void add_port(const std::string& local, const std::string& port, const Json& interface, const SourceLocation& at,
              WiredDevices& wired, std::map<std::string, std::string>& host_of_mac) {
    const std::string neighbour = chassis_name(child_of(interface, "chassis"));
    if (neighbour.empty()) {
        wired.drop("neighbour without a name");
        return;
    }
    const Json& far = child_of(interface, "port");
    std::string far_port = member_of(far, "descr");
    const Json& id = child_of(far, "id");
    const bool by_mac = member_of(id, "type") == "mac";
    // A switch's number of its own for a port means nothing to others, its word for it does.
    const bool plain = !far_port.empty() && far_port.find_first_of(" :") == std::string::npos;
    if (!(by_mac && !far_port.empty()) && !(member_of(id, "type") == "local" && plain)) { far_port = scalar_of(id); }
    if (by_mac) { host_of_mac[normal_guid(scalar_of(id))] = host_name(neighbour); }
    wired.state(neighbour, role_of(child_of(interface, "chassis"), neighbour), at);
    const std::string current = member_of(child_of(far, "auto-negotiation"), "current");
    // "100GbaseCR4 (...)" begins with its rate; "1000BaseTFD" is in Mb/s.
    wired.add({local, port}, {neighbour, far_port}, current.empty() ? 0 : megabits_of(current), at);
}

// "lldp.eth0.chassis.name=leaf1" as json0 would have it. An interface's name may have dots.
Json of_key_values(const SourceText& source) {
    Json interfaces = Json::object();
    for (const TextLine& line : source.lines()) {
        const std::size_t equals = line.text.find('=');
        const std::string_view key = line.text.substr(0, equals);
        std::size_t part = key.rfind(".chassis.");
        part = part == std::string_view::npos ? key.rfind(".port.") : part;
        if (!key.starts_with("lldp.") || equals == std::string_view::npos || part == std::string_view::npos) {
            continue;
        }
        Json& interface = interfaces[std::string(key.substr(5, part - 5))];
        const std::string value(line.text.substr(equals + 1)), name(key.substr(key.find('.', part + 1) + 1));
        Json& of = interface[key.substr(part + 1, 4) == "port" ? "port" : "chassis"];
        const bool id = name == "mac" || name == "ifname" || name == "local";
        if (id && !of.contains("id")) { of["id"] = {{"type", name}, {"value", value}}; }
        if (name == "name" || name == "descr") { of[name] = value; }
        if (name == "Bridge.enabled" || name == "Router.enabled") {
            of["capability"].push_back({{"type", name.substr(0, 6)}, {"enabled", value == "on"}});
        }
        if (name == "auto-negotiation.current") { of["auto-negotiation"] = {{"current", value}}; }
    }
    return {{"lldp", {{"interface", interfaces}}}};
}

bool has_key_values(const SourceText& source) {
    return !source.lines().empty() && source.lines().front().text.starts_with("lldp.") &&
           source.lines().front().text.find('=') != std::string_view::npos;
}

Observations read_lldp(const SourceText& source) {
    const Json root = has_key_values(source) ? of_key_values(source) : parse_json(source.text(), source.file());
    const Json& lldp = child_of(root, "lldp");
    if (!lldp.is_object() && !lldp.is_array()) {
        refuse(source.at(1), "'lldp' is not an object", lldp.dump().substr(0, 40), "the output of lldpctl -f json");
    }
    const std::string local = source.stem();  // lldpctl does not say whose neighbours these are
    WiredDevices wired;
    std::map<std::string, std::string> host_of_mac;
    const Json& interfaces = child_of(lldp, "interface");
    for (const Json& one : interfaces.is_array() ? interfaces : Json::array({interfaces})) {
        if (one.is_object() && one.contains("name")) {
            add_port(local, scalar_of(one["name"]), one, source.at(1), wired, host_of_mac);  // json0
        } else if (one.is_object()) {
            for (const auto& [name, interface] : one.items()) {
                add_port(local, name, interface, source.at(1), wired, host_of_mac);
            }
        }
    }
    Observations seen = wired.finish();
    seen.hosts_of = std::move(host_of_mac);
    if (seen.cables.empty()) { seen.notes.emplace_back("no port of " + local + " has a neighbour"); }
    return seen;
}

bool fits_lldp(const SourceText& source) {
    if (has_key_values(source)) { return true; }
    return source.begins_with('{') && source.text().substr(0, 200).find("\"lldp\"") != std::string::npos;
}

}  // namespace

extern const SiteFormat lldp{"lldp", "`lldpctl -f json`, `json0` or `keyvalue`, in a file named after its host",
                             fits_lldp, read_lldp};

}  // namespace fabricast::inline discovery::formats
