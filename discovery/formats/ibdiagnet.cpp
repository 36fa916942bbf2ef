// ibdiagnet's .db_csv: sections START_<TABLE> ... END_<TABLE>, each a csv. Read are NODES, PORTS and LINKS, by the
// names of their columns.

#include <map>

#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct Row {
    SourceLocation at;
    std::map<std::string, std::string, std::less<>> cells{};

    bool has(std::string_view column) const { return cells.contains(column); }
    std::string operator[](std::string_view column) const {
        return has(column) ? cells.find(column)->second : std::string();
    }
    int whole(std::string_view column) const { return number_in<int>((*this)[column]).value_or(0); }
};

std::vector<Row> table(const SourceText& source, const std::string& name) {
    std::vector<Row> rows;
    std::vector<std::string> heading;
    bool inside = false;
    for (const TextLine& line : source.lines()) {
        const std::string_view text = trimmed(line.text, " \t");
        if (text == "START_" + name) {
            inside = true;
        } else if (text == "END_" + name) {
            return rows;
        } else if (inside && heading.empty()) {
            heading = csv_cells(text, ",");
        } else if (inside && !text.empty()) {
            const std::vector<std::string> cells = csv_cells(text, ",");
            if (cells.size() < heading.size()) {
                refuse(source.at(line), "a row of " + name + " with fewer cells than its heading", shown(text),
                       std::to_string(heading.size()) + " cells");
            }
            Row& row = rows.emplace_back(Row{source.at(line)});
            for (std::size_t i = 0; i < heading.size(); ++i) { row.cells[heading[i]] = cells[i]; }
        }
    }
    if (inside) { refuse(source.at(static_cast<int>(source.lines().size())), "the file ends within " + name); }
    return rows;
}

// LinkSpeedActv and LinkWidthActv are bits of the standard's PortInfo (14.2.5.6): widths 1x 4x 8x 12x 2x.
std::int64_t active_megabits(const Row& port) {
    const std::map<int, int> lanes = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
    const std::map<int, std::int64_t> speed = {{1, 2'000},    {2, 4'000},     {4, 8'000},      {256, 13'636},
                                               {512, 25'000}, {1024, 50'000}, {2048, 100'000}, {4096, 200'000}};
    const auto width = lanes.find(port.whole("LinkWidthActv"));
    const auto rate = speed.find(port.whole("LinkSpeedActv"));
    return width == lanes.end() || rate == speed.end() ? 0 : rate->second * width->second;
}

Observations read_db(const SourceText& source) {
    InfinibandFabric fabric;
    for (const Row& row : table(source, "NODES")) {
        DeviceSeen device{normal_guid(row["NodeGUID"]), row["NodeType"] == "1" ? Role::host : Role::fabric_switch,
                          row.at};
        if (device.key.empty()) {
            refuse(row.at, "a node without NodeGUID", {}, "NodeDesc,NumPorts,NodeType,...,NodeGUID");
        }
        device.ports = row.whole("NumPorts");
        device.part = number_in<std::uint32_t>(row["DeviceID"]).value_or(0);
        device.group = normal_guid(row["SystemImageGUID"]);
        fabric.add(std::move(device), row["NodeDesc"]);
    }
    std::map<std::pair<std::string, std::string>, std::int64_t> rates;  // by guid and port
    for (const Row& row : table(source, "PORTS")) {
        if (!row.has("NodeGuid") || !row.has("PortNum")) { continue; }
        rates[{normal_guid(row["NodeGuid"]), row["PortNum"]}] = active_megabits(row);
    }
    for (const Row& row : table(source, "LINKS")) {
        for (const char* column : {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"}) {
            if (!row.has(column)) { refuse(row.at, "LINKS without a column", {}, column); }
        }
        const CableEnd a{normal_guid(row["NodeGuid1"]), row["PortNum1"]};
        fabric.add_cable(a, {normal_guid(row["NodeGuid2"]), row["PortNum2"]}, "", row.at, rates[{a.device, a.port}]);
    }
    return fabric.finish();
}

}  // namespace

extern const SiteFormat ibdiagnet{
    "ibdiagnet", "ibdiagnet's .db_csv: its NODES, PORTS and LINKS",
    [](const SourceText& source) { return source.holds("START_NODES") && source.holds("START_LINKS"); }, read_db};

}  // namespace fabricast::inline discovery::formats
