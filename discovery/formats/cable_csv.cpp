// Tables of cables: UFM's NDT plans, SONiC's links csv, and a links.csv of one's own. The heading says which column is
// which, in any order and spelling: StartDevice,StartPort,EndDevice,EndPort and perhaps BandWidth or Speed, LinkType.

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

enum Column : std::uint8_t { from, from_port, to, to_port, rate, kind, technology, console };

// What each may be called, in letters only: "#StartDevice", "Start Device" and "start_device" are one column.
constexpr std::array<std::string_view, console + 1> column_names = {"startdevice sourcedevice devicea from",
                                                                    "startport sourceport porta fromport",
                                                                    "enddevice peerdevice destinationdevice deviceb to",
                                                                    "endport peerport destinationport portb toport",
                                                                    "bandwidth speed bandwidthmbs rate",
                                                                    "linktype",
                                                                    "technology",
                                                                    "baudrate bmcip"};

constexpr std::string_view separators = ",;\t";

// The place of each column in a line.
constexpr std::size_t missing = std::string_view::npos;
using Columns = std::array<std::size_t, console + 1>;

Columns columns_of(std::string_view heading) {
    Columns columns;
    columns.fill(missing);
    const std::vector<std::string> cells = csv_cells(heading, separators);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string word = lower_case(cells[i]);
        std::erase_if(word, [](char c) { return c < 'a' || c > 'z'; });
        if (word.starts_with("fields")) { word.erase(0, 6); }  // "#Fields:StartDevice"
        const auto* names =
            std::ranges::find_if(column_names, [&](std::string_view list) { return has_word(list, word); });
        if (names != column_names.end()) { columns[static_cast<std::size_t>(names - column_names.begin())] = i; }
    }
    return columns;
}

const TextLine* heading_of(const SourceText& source) {
    for (const TextLine& line : source.lines()) {
        const Columns columns = columns_of(line.text);
        const bool whole = std::max({columns[from], columns[to], columns[from_port], columns[to_port]}) < missing;
        if (whole) { return &line; }
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
    const Columns columns = columns_of(heading->text);
    WiredDevices wired;
    std::uint64_t other = 0;
    for (const TextLine& line : source.lines()) {
        if (line.number <= heading->number || line.text.empty() || line.text[0] == '#') { continue; }
        const std::vector<std::string> cells = csv_cells(line.text, separators);
        const auto cell = [&](Column column) {
            return columns[column] < cells.size() ? cells[columns[column]] : std::string();
        };
        if (std::ranges::all_of(cells, &std::string::empty)) { continue; }
        if (cell(from).empty() || cell(to).empty()) {
            refuse(source.at(line), "a cable with one end", shown(line.text), "a device in both columns");
        }
        const bool power =
            lower_case(cell(from_port)).starts_with("psu") || lower_case(cell(to_port)).starts_with("psu");
        if (power || !cell(console).empty() || (!cell(kind).empty() && lower_case(cell(kind)) != "data")) {
            ++other;
            continue;
        }
        // A server of a plan may stand with its port's name: "Server 1 IB Port 1".
        std::string device = cell(from);
        const std::string port = port_word(cell(from_port), device);
        if (device.ends_with(" " + port)) { device.resize(device.size() - port.size() - 1); }
        wired.add({device, port}, {cell(to), port_word(cell(to_port), cell(to))}, megabits_of(cell(rate)),
                  source.at(line), cell(technology));
    }
    Observations seen = wired.finish();
    if (other > 0) { seen.dropped["cable that is not for data"] += other; }
    return seen;
}

}  // namespace

extern const SiteFormat cable_csv{
    "cable-csv", "a table of cables: UFM's NDT plan, SONiC's links csv, a links.csv of one's own",
    [](const SourceText& source) { return heading_of(source) != nullptr; }, read_csv, true};

}  // namespace fabricast::inline discovery::formats
