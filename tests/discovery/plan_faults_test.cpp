// What was planned against what was found: UFM's NDT, a links.csv and a topology.dot of one fabric, whose cables differ
// from the ones that are found in one place.

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "discovery/site/export_site.hpp"
#include "tests/discovery/planted.hpp"
#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::testing;

namespace {

using Rows = std::vector<std::vector<std::string>>;  // start device, its port, end device, its port, Mb/s

enum class Fault { none, missing, miswired, extra, slower, unknown };

struct Plan {
    std::string text, found, device;
};

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return text;
}

// As people write them: NDT names devices in another case and repeats a host before its port.
std::string ndt_of(const Rows& rows) {
    std::string text = "#StartDevice,StartPort,EndDevice,EndPort,LinkType,Speed\n";
    for (const auto& row : rows) {
        const bool host = row[0].starts_with("node");
        text += upper(row[0]) + "," + (host ? upper(row[0]) + " " + row[1] : "Port " + row[1]) + "," + upper(row[2]) +
                ",Port " + row[3] + ",Data," + row[4] + "\n";
    }
    return text;
}

std::string csv_of(const Rows& rows) {
    std::string text = "StartDevice,StartPort,EndDevice,EndPort,BandWidth\n";
    for (const auto& row : rows) { text += row[0] + "," + row[1] + "," + row[2] + "," + row[3] + "," + row[4] + "\n"; }
    return text;
}

std::string dot_of(const Rows& rows) {
    std::string text = "graph site {\n";
    for (const auto& row : rows) {
        text += "  \"" + row[0] + "\":\"" + row[1] + "\" -- \"" + row[2] + "\":\"" + row[3] + "\"\n";
    }
    return text + "}\n";
}

void drop_port(std::string& text, const std::string& device, const std::string& port) {
    const std::size_t line = text.find("\n[" + port + "]", text.find("# \"" + device + "\"\n"));
    REQUIRE(line != std::string::npos);
    drop_line(text, line + 1);
}

Plan plan_of(Random& random, Fault fault, std::string (*write)(const Rows&)) {
    const std::uint32_t nodes = 3 + random.below(random.below(32) == 0 ? 510 : 60);
    const Fabric fabric = fabric_of(scenario_on("{node: dgx-h100, nodes: " + std::to_string(nodes) +
                                                ", fabric: {kind: rail-optimized, scalable_unit: 32}}"));
    Rows rows;
    const std::string csv = to_links_csv(fabric);
    for (const std::string_view line : split(csv, '\n')) {
        std::vector<std::string> cells;
        for (const std::string_view cell : split(line, ',')) { cells.emplace_back(cell); }
        if (cells.size() < 4 || cells[0] == "StartDevice") { continue; }
        cells.resize(4);
        cells.emplace_back("400000");
        rows.push_back(std::move(cells));
    }
    std::size_t at = random.below(static_cast<std::uint32_t>(rows.size()));
    // At a trunk the switch at its other end is there and says what is missing.
    while (fault == Fault::unknown && !rows[at][0].starts_with("node")) { at = (at + 1) % rows.size(); }
    if (fault == Fault::slower) { rows[at][4] = "800000"; }
    if (fault == Fault::unknown) { rows[at][2] = "leaf-of-last-year"; }
    const std::string device = rows[at][2];
    if (fault == Fault::extra) { rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at)); }
    // What was planned at this port is at another, and the other's here.
    if (fault == Fault::miswired) {
        std::size_t other = at;
        while (rows[other][0] == rows[at][0]) { other = random.below(static_cast<std::uint32_t>(rows.size())); }
        std::swap(rows[at][2], rows[other][2]);
        std::swap(rows[at][3], rows[other][3]);
    }
    std::string found = to_ibnetdiscover(fabric);
    // A cable that nobody pulled: neither end has its line.
    if (fault == Fault::missing) {
        const bool host = rows[at][0].starts_with("node");
        drop_port(found, host ? rows[at][0] + " " + rows[at][1] : rows[at][0], host ? "1" : rows[at][1]);
        drop_port(found, device, rows[at][3]);
    }
    return {write(rows), found, device};
}

}  // namespace

TEST_CASE("what differs from a plan is found, whoever wrote it") {
    const std::pair<const char*, std::string (*)(const Rows&)> forms[] = {
        {"plan.ndt", ndt_of}, {"links.csv", csv_of}, {"topology.dot", dot_of}};
    const std::pair<const char*, Fault> faults[] = {{"missing", Fault::missing},
                                                    {"miswired", Fault::miswired},
                                                    {"extra", Fault::extra},
                                                    {"planned for", Fault::slower},
                                                    {"this switch of the plan was not found", Fault::unknown}};
    for (const auto& [file, write] : forms) {
        int alarms = 0;
        for (int i = 0; i < planted_each; ++i) {
            Random random{static_cast<std::uint64_t>(90'000 + i)};
            const Plan plan = plan_of(random, Fault::none, write);
            const std::vector<Finding> findings = findings_of({{file, plan.text}, {"ib.out", plan.found}});
            alarms += findings.empty() ? 0 : 1;
            INFO(file << ": " << (findings.empty() ? "" : findings.front().device + " " + findings.front().message));
            CHECK(findings.empty());
        }
        std::cout << "figure: false_alarms of " << file << " " << alarms << " of " << planted_each << "\n";
        for (const auto& [word, fault] : faults) {
            if (fault == Fault::slower && write == dot_of) { continue; }  // says no rate
            int found = 0;
            std::string missed;
            for (int i = 0; i < planted_each; ++i) {
                Random random{static_cast<std::uint64_t>(91'000 + i)};
                const Plan plan = plan_of(random, fault, write);
                const std::vector<Finding> findings = findings_of({{file, plan.text}, {"ib.out", plan.found}});
                const bool hit = std::ranges::any_of(findings, [&, word = word](const Finding& finding) {
                    return finding.check == "plan" && finding.message.starts_with(word) && names(finding, plan.device);
                });
                found += hit ? 1 : 0;
                if (!hit) { missed += " " + plan.device; }
            }
            std::cout << "figure: planted " << word << " in " << file << " found " << found << " of " << planted_each
                      << "\n";
            INFO(word << " in " << file << ": missed" << missed);
            CHECK(found * 100 >= planted_each * 98);
        }
    }
}
