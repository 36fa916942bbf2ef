// `ibnetdiscover -p`: a line for each port, with both ends of its cable, or with one where nothing answers.

#include "base/numbers.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct ReportPatterns {
    Pattern start{R"re(^(CA|SW|RT)\s+\d+\s+(\d+)\s+0x([0-9a-f]+)\s+(\d+x)\s*([A-Z0-9?]+)\s*(.*)$)re"};
    Pattern peer{R"re(^-\s*(CA|SW|RT)\s+\d+\s+(\d+)\s+0x([0-9a-f]+)\s+\(\s*'(.*)'\s+-\s+'(.*)'\s*\)$)re"};
    Pattern alone{R"re(^'(.*)'$)re"};
};

const ReportPatterns& report_patterns() {
    static const ReportPatterns patterns;
    return patterns;
}

DeviceSeen device_of(std::string_view kind, std::string_view guid, const SourceLocation& at) {
    DeviceSeen device;
    device.key = normal_guid(guid);
    device.role = kind == "CA" ? Role::host : Role::fabric_switch;
    device.at = at;
    return device;
}

void read_line(const SourceText& source, const TextLine& line, InfinibandFabric& fabric) {
    const auto start = report_patterns().start.first_in(line.text);
    if (!start) { refuse(source.at(line), "a port's line", shown(line.text), "SW 5 17 0x... 4x EDR - CA 7 1 0x..."); }
    const SourceLocation at = source.at(line);
    const std::string_view rest = *(*start)[6];
    if (const auto alone = report_patterns().alone.first_in(rest)) {
        const std::string key = fabric.add(device_of(*(*start)[1], *(*start)[3], at), *(*alone)[1]);
        fabric.add(DarkPort{{key, std::string(*(*start)[2])}, at});
        return;
    }
    const auto peer = report_patterns().peer.first_in(rest);
    if (!peer) { refuse(at, "the far end of a cable", shown(rest), "- CA 7 1 0x... ( 'switch' - 'host HCA-1' )"); }
    CableSeen cable;
    cable.a = {fabric.add(device_of(*(*start)[1], *(*start)[3], at), *(*peer)[4]), std::string(*(*start)[2])};
    cable.b = {fabric.add(device_of(*(*peer)[1], *(*peer)[3], at), *(*peer)[5]), std::string(*(*peer)[2])};
    cable.technology = std::string(*(*start)[4]) + std::string(*(*start)[5]);
    cable.megabits = infiniband_megabits(cable.technology);
    cable.at = at;
    fabric.add(std::move(cable));
}

Observations read_report(const SourceText& source) {
    InfinibandFabric fabric;
    for (const TextLine& line : source.lines()) {
        if (!trimmed(line.text, " \t").empty() && line.text[0] != '#') { read_line(source, line, fabric); }
    }
    return fabric.finish();
}

}  // namespace

extern const SiteFormat ibnetdiscover_ports;
const SiteFormat ibnetdiscover_ports{"ibnetdiscover-ports", "`ibnetdiscover -p`",
                                     [](const SourceText& source) {
                                         for (const TextLine& line : source.lines()) {
                                             if (report_patterns().start.found_in(line.text)) { return true; }
                                         }
                                         return false;
                                     },
                                     read_report};

}  // namespace fabricast::inline discovery::formats
