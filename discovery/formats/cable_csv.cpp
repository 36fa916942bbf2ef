// Tables of cables: UFM's NDT plans, SONiC's links csv, and a links.csv of one's own. The heading says which column is
// which, in any order and spelling: StartDevice,StartPort,EndDevice,EndPort and perhaps BandWidth or Speed, LinkType.

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

// RFC 4180, a line at a time: commas outside quotes separate.
std::vector<std::string> csv_cells(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if ((c == ',' || c == ';' || c == '\t') && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    for (std::string& cell : cells) { cell = std::string(trimmed(cell, " \t")); }
    return cells;
}

// "#StartDevice", "Start Device" and "start_device" are one column.
std::string column_word(std::string_view cell) {
    std::string word;
    for (const char c : lower_case(cell)) {
        if (c >= 'a' && c <= 'z') { word += c; }
    }
    return word;
}

struct CableColumns {
    std::optional<std::size_t> from, from_port, to, to_port, rate, kind;
    bool whole() const { return from && to && from_port && to_port; }
};

CableColumns columns_of(std::string_view heading) {
    CableColumns columns;
    const std::vector<std::string> cells = csv_cells(heading);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string word = column_word(cells[i]);
        const auto is = [&](std::initializer_list<std::string_view> words) {
            return std::ranges::find(words, word) != words.end();
        };
        if (is({"startdevice", "sourcedevice", "devicea", "from"})) { columns.from = i; }
        if (is({"startport", "sourceport", "porta", "fromport"})) { columns.from_port = i; }
        if (is({"enddevice", "peerdevice", "destinationdevice", "deviceb", "to"})) { columns.to = i; }
        if (is({"endport", "peerport", "destinationport", "portb", "toport"})) { columns.to_port = i; }
        if (is({"bandwidth", "speed", "bandwidthmbs", "rate"})) { columns.rate = i; }
        if (is({"linktype"})) { columns.kind = i; }
    }
    return columns;
}

const TextLine* heading_of(const SourceText& source) {
    for (const TextLine& line : source.lines()) {
        if (columns_of(line.text).whole()) { return &line; }
    }
    return nullptr;
}

// "SAT111092710053 ibp11s0f0" repeats the device; "Blade 16_Port 2/20" names a director's unit.
std::string port_word(const std::string& cell, const std::string& device) {
    const std::string port = lower_case(cell);
    const std::string prefix = lower_case(device) + " ";
    return port.starts_with(prefix) ? port.substr(prefix.size()) : cell;
}

Observations read_csv(const SourceText& source) {
    const TextLine* heading = heading_of(source);
    const CableColumns columns = columns_of(heading->text);
    WiredDevices wired;
    std::uint64_t other = 0;
    for (const TextLine& line : source.lines()) {
        if (line.number <= heading->number || line.text.empty() || line.text[0] == '#') { continue; }
        const std::vector<std::string> cells = csv_cells(line.text);
        const auto cell = [&](std::optional<std::size_t> column) {
            return column && *column < cells.size() ? cells[*column] : std::string();
        };
        if (std::ranges::all_of(cells, [](const std::string& text) { return text.empty(); })) { continue; }
        if (cell(columns.from).empty() || cell(columns.to).empty()) {
            refuse(source.at(line), "a cable with one end", shown(line.text), "a device in both columns");
        }
        const std::string kind = lower_case(cell(columns.kind));
        if (!kind.empty() && kind != "data") {
            ++other;
            continue;
        }
        // A server of a plan may stand with its port's name: "Server 1 IB Port 1".
        std::string from = cell(columns.from);
        const std::string from_port = port_word(cell(columns.from_port), from);
        if (from.ends_with(" " + from_port)) { from.resize(from.size() - from_port.size() - 1); }
        wired.add({from, from_port}, {cell(columns.to), port_word(cell(columns.to_port), cell(columns.to))},
                  megabits_of(cell(columns.rate)), source.at(line));
    }
    Observations seen = wired.finish();
    seen.plan = true;
    if (other > 0) { seen.dropped["cable that is not for data"] += other; }
    return seen;
}

}  // namespace

extern const SiteFormat cable_csv;
const SiteFormat cable_csv{"cable-csv",
                           "a table of cables: UFM's NDT plan, SONiC's links csv, a links.csv of one's own",
                           [](const SourceText& source) { return heading_of(source) != nullptr; }, read_csv};

}  // namespace fabricast::inline discovery::formats
