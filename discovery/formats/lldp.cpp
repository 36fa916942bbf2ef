// `lldpctl -f json` and `-f json0`: what one host or switch sees behind each of its ports. The first form collapses
// lists of one element, the second keeps them.

#include <algorithm>

#include "base/json.hpp"
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

std::string member_of(const Json& value, const char* key) {
    if (value.is_array()) { return value.empty() ? std::string() : member_of(value.front(), key); }
    return value.is_object() && value.contains(key) ? scalar_of(value[key]) : std::string();
}

const Json& child_of(const Json& value, const char* key) {
    static const Json none;
    if (value.is_array()) { return value.empty() ? none : child_of(value.front(), key); }
    return value.is_object() && value.contains(key) ? value[key] : none;
}

// The neighbour's name: json keys its chassis by it, json0 has a member `name`. One that sends no name is known by id.
std::string chassis_name(const Json& chassis) {
    if (chassis.is_array()) { return chassis.empty() ? std::string() : chassis_name(chassis.front()); }
    if (const std::string name = member_of(chassis, "name"); !name.empty()) { return name; }
    if (chassis.is_object() && chassis.size() == 1 && chassis.begin().value().is_object() &&
        chassis.begin().key() != "id") {
        return chassis.begin().key();
    }
    return member_of(chassis, "id");
}

class LldpReader {
public:
    LldpReader(const SourceText& source, std::string local) : source_(source), local_(std::move(local)) {}

    Observations read() {
        const Json root = parse_json(source_.text(), source_.file());
        const Json& lldp = child_of(root, "lldp");
        if (!lldp.is_object() && !lldp.is_array()) {
            refuse(source_.at(1), "'lldp' is no object", lldp.dump().substr(0, 40), "the output of lldpctl -f json");
        }
        read_interfaces(child_of(lldp, "interface"));
        Observations seen = wired_.finish();
        if (seen.empty()) { seen.notes.emplace_back("no port of " + local_ + " has a neighbour"); }
        return seen;
    }

private:
    void read_interfaces(const Json& interfaces) {
        if (interfaces.is_array()) {
            for (const Json& one : interfaces) { read_interfaces(one); }
        } else if (interfaces.is_object() && interfaces.contains("name")) {
            add(scalar_of(interfaces["name"]), interfaces);  // json0
        } else if (interfaces.is_object()) {
            for (const auto& [name, interface] : interfaces.items()) { add(name, interface); }
        }
    }

    void add(const std::string& port, const Json& interface) {
        const std::string neighbour = chassis_name(child_of(interface, "chassis"));
        const Json& far = child_of(interface, "port");
        std::string far_port = member_of(far, "descr");
        const Json& id = child_of(far, "id");
        if (member_of(id, "type") != "mac" || far_port.empty()) { far_port = scalar_of(id); }
        if (neighbour.empty()) {
            wired_.drop("neighbour without a name");
            return;
        }
        const std::string current = member_of(child_of(far, "auto-negotiation"), "current");
        // "100GbaseCR4 (...)" begins with its rate; "1000BaseTFD" is in Mb/s.
        wired_.add({local_, port}, {neighbour, far_port}, current.empty() ? 0 : megabits_of(current), source_.at(1));
    }

    const SourceText& source_;
    std::string local_;
    WiredDevices wired_;
};

// lldpctl does not say whose neighbours these are; the file is usually named after the host.
std::string stem_of(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
    return name.substr(0, name.find('.'));
}

}  // namespace

extern const SiteFormat lldp;
const SiteFormat lldp{"lldp", "`lldpctl -f json` or `-f json0`, in a file named after its host",
                      [](const SourceText& source) {
                          return source.begins_with('{') &&
                                 source.text().substr(0, 200).find("\"lldp\"") != std::string::npos;
                      },
                      [](const SourceText& source) { return LldpReader(source, stem_of(source.file())).read(); }};

}  // namespace fabricast::inline discovery::formats
