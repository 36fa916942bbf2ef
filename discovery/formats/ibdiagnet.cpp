// ibdiagnet's .db_csv: sections START_<TABLE> ... END_<TABLE>, each a csv. Read are NODES, PORTS and LINKS, by the
// names of their columns.

#include <map>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"

namespace fabricast::inline discovery::formats {

namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> db_cells(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

// The rows of one table, each with its line.
std::vector<std::pair<Row, SourceLocation>> table(const SourceText& source, const std::string& name) {
    std::vector<std::pair<Row, SourceLocation>> rows;
    std::vector<std::string> heading;
    bool inside = false;
    for (const TextLine& line : source.lines()) {
        const std::string_view text = trimmed(line.text, " \t");
        if (text == "START_" + name) {
            inside = true;
        } else if (text == "END_" + name) {
            return rows;
        } else if (inside && heading.empty()) {
            heading = db_cells(text);
        } else if (inside && !text.empty()) {
            const std::vector<std::string> cells = db_cells(text);
            if (cells.size() < heading.size()) {
                refuse(source.at(line), "a row of " + name + " with fewer cells than its heading", shown(text),
                       std::to_string(heading.size()) + " cells");
            }
            Row row;
            for (std::size_t i = 0; i < heading.size(); ++i) { row[heading[i]] = cells[i]; }
            rows.emplace_back(std::move(row), source.at(line));
        }
    }
    if (inside) { refuse(source.at(static_cast<int>(source.lines().size())), "the file ends within " + name); }
    return rows;
}

// LinkSpeedActv and LinkWidthActv are bits of the standard's PortInfo (14.2.5.6): widths 1x 4x 8x 12x 2x.
std::int64_t active_megabits(const Row& port) {
    const auto bits = [&](const char* name) {
        const auto found = port.find(name);
        return found == port.end() ? 0 : number_in<int>(found->second).value_or(0);
    };
    const std::map<int, int> lanes = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
    const std::map<int, std::int64_t> speed = {{1, 2'000},    {2, 4'000},     {4, 8'000},      {256, 13'636},
                                               {512, 25'000}, {1024, 50'000}, {2048, 100'000}, {4096, 200'000}};
    const auto width = lanes.find(bits("LinkWidthActv"));
    const auto rate = speed.find(bits("LinkSpeedActv"));
    return width == lanes.end() || rate == speed.end() ? 0 : rate->second * width->second;
}

Observations read_db(const SourceText& source) {
    InfinibandFabric fabric;
    std::map<std::string, std::int64_t> rates;  // by guid:port
    for (const auto& [row, at] : table(source, "NODES")) {
        DeviceSeen device;
        device.key = normal_guid(row.contains("NodeGUID") ? row.at("NodeGUID") : "");
        if (device.key.empty()) {
            refuse(at, "a node without NodeGUID", {}, "NodeDesc,NumPorts,NodeType,...,NodeGUID");
        }
        device.role = row.contains("NodeType") && row.at("NodeType") == "1" ? Role::host : Role::fabric_switch;
        device.ports = row.contains("NumPorts") ? number_in<int>(row.at("NumPorts")).value_or(0) : 0;
        device.part = row.contains("DeviceID") ? number_in<std::uint32_t>(row.at("DeviceID")).value_or(0) : 0;
        device.group = normal_guid(row.contains("SystemImageGUID") ? row.at("SystemImageGUID") : "");
        device.at = at;
        fabric.add(std::move(device), row.contains("NodeDesc") ? row.at("NodeDesc") : "");
    }
    for (const auto& [row, at] : table(source, "PORTS")) {
        if (!row.contains("NodeGuid") || !row.contains("PortNum")) { continue; }
        rates[normal_guid(row.at("NodeGuid")) + ":" + row.at("PortNum")] = active_megabits(row);
    }
    for (const auto& [row, at] : table(source, "LINKS")) {
        for (const char* column : {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"}) {
            if (!row.contains(column)) { refuse(at, "LINKS without a column", {}, column); }
        }
        CableSeen cable;
        cable.a = {normal_guid(row.at("NodeGuid1")), row.at("PortNum1")};
        cable.b = {normal_guid(row.at("NodeGuid2")), row.at("PortNum2")};
        cable.megabits = rates[cable.a.device + ":" + cable.a.port];
        cable.at = at;
        fabric.add(std::move(cable));
    }
    return fabric.finish();
}

}  // namespace

extern const SiteFormat ibdiagnet;
const SiteFormat ibdiagnet{
    "ibdiagnet", "ibdiagnet's .db_csv: its NODES, PORTS and LINKS",
    [](const SourceText& source) { return source.holds("START_NODES") && source.holds("START_LINKS"); }, read_db};

}  // namespace fabricast::inline discovery::formats
