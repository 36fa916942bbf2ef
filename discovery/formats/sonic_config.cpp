// SONiC's CONFIG_DB as JSON: neighbours by port (DEVICE_NEIGHBOR) and the ports' speeds, in tables or with keys
// "TABLE|key". A configuration states which neighbours there should be. Where it has no such table, its ports'
// descriptions name them, as sonic-cfggen writes these: "ARISTA01T1:Ethernet1".

#include <map>

#include "base/json.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

// Both forms as one: table, then key.
std::map<std::string, std::map<std::string, Json>> tables_of(const Json& root) {
    std::map<std::string, std::map<std::string, Json>> tables;
    for (const auto& [name, value] : root.items()) {
        const std::size_t bar = name.find('|');
        if (bar != std::string::npos) {
            tables[name.substr(0, bar)][name.substr(bar + 1)] = value;
        } else if (value.is_object()) {
            for (const auto& [key, row] : value.items()) { tables[name][key] = row; }
        }
    }
    return tables;
}

// A dump of the database itself has each row as {"type": "hash", "value": {...}}.
std::string field_of(const Json& row, const char* name) {
    if (row.is_object() && row.contains("value") && row["value"].is_object()) { return field_of(row["value"], name); }
    return row.is_object() && row.contains(name) && row[name].is_string() ? row[name].get<std::string>() : "";
}

Observations read_config(const SourceText& source) {
    auto tables = tables_of(parse_json(source.text(), source.file()));
    std::string own = field_of(tables["DEVICE_METADATA"]["localhost"], "hostname");
    const bool unnamed = own.empty();
    if (unnamed && tables["DEVICE_NEIGHBOR"].empty()) {
        refuse(source.at(1), "it names neither its host nor a neighbour", {},
               "DEVICE_METADATA.localhost.hostname, DEVICE_NEIGHBOR");
    }
    if (unnamed) { own = source.stem(); }
    WiredDevices wired;
    wired.state(own, "switch", source.at(1));
    for (const auto& [name, row] : tables["DEVICE_NEIGHBOR_METADATA"]) {
        wired.state(name, field_of(row, "type"), source.at(1));
    }
    for (const auto& [port, row] : tables["DEVICE_NEIGHBOR"]) {
        const std::string name = field_of(row, "name");
        if (name.empty()) { continue; }
        wired.add({own, port}, {name, field_of(row, "port")}, megabits_of(field_of(tables["PORT"][port], "speed")),
                  source.at(1));
    }
    std::uint64_t by_description = 0;
    for (const auto& [port, row] : tables["PORT"]) {
        const std::string text = field_of(row, "description");
        const std::size_t colon = text.find(':');
        if (colon == 0 || colon == std::string::npos || tables["DEVICE_NEIGHBOR"].contains(port)) { continue; }
        wired.add({own, port}, {text.substr(0, colon), text.substr(colon + 1)}, megabits_of(field_of(row, "speed")),
                  source.at(1));
        ++by_description;
    }
    if (!tables["MGMT_INTERFACE"].empty()) { wired.drop("management port"); }
    Observations seen = wired.finish();
    if (unnamed) { seen.notes.push_back("it names no host, so it stands for " + own + ", as the file is called"); }
    if (by_description > 0) {
        seen.notes.push_back(std::to_string(by_description) + " neighbours are named by descriptions of ports only");
    }
    return seen;
}

bool fits_config(const SourceText& source) {
    return source.begins_with('{') && (source.holds("\"DEVICE_METADATA") || source.holds("\"DEVICE_NEIGHBOR"));
}

}  // namespace

extern const SiteFormat sonic_config{"sonic-config", "SONiC's CONFIG_DB: `sonic-cfggen -d --print-data`", fits_config,
                                     read_config, true};

}  // namespace fabricast::inline discovery::formats
