// `ibnetdiscover -p`: a line for each port, with both ends of its cable, or with one where nothing answers.

#include <algorithm>

#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct ReportPatterns {
    Pattern start{R"re(^(CA|SW|RT)\s+\d+\s+(\d+)\s+0x([0-9a-f]+)\s+(\d+x)\s*([A-Z0-9?]+)\s*(.*)$)re"};
    Pattern peer{R"re(^-\s*(CA|SW|RT)\s+\d+\s+(\d+)\s+0x([0-9a-f]+)\s+\(\s*'(.*)'\s+-\s+'(.*)'\s*\)$)re"};
    Pattern alone{R"re(^'?([^-'].*?)'?$)re"};  // older ones without quotes
};

void read_line(const TextLine& line, const SourceLocation& at, InfinibandFabric& fabric) {
    const auto& patterns = compiled<ReportPatterns>();
    const Match start(patterns.start, line.text);
    if (!start) { refuse(at, "a port's line", shown(line.text), "SW 5 17 0x... 4x EDR - CA 7 1 0x..."); }
    const auto end = [&](const Match& side, const std::string& description) {
        const Role role = side[1] == "CA" ? Role::host : Role::fabric_switch;
        return CableEnd{fabric.add({normal_guid(side[3]), role, at}, description), side[2]};
    };
    if (const Match alone{patterns.alone, start[6]}) {
        end(start, alone[1]);
        return;
    }
    const Match peer(patterns.peer, start[6]);
    if (!peer) { refuse(at, "the far end of a cable", shown(start[6]), "- CA 7 1 0x... ( 'switch' - 'host HCA-1' )"); }
    const CableEnd near = end(start, peer[4]);
    fabric.add_cable(near, end(peer, peer[5]), start[4] + start[5], at);
}

Observations read_report(const SourceText& source) {
    InfinibandFabric fabric;
    for (const TextLine& line : source.lines()) {
        if (!line.text.empty() && line.text[0] != '#') { read_line(line, source.at(line), fabric); }
    }
    return fabric.finish();
}

bool fits_report(const SourceText& source) {
    return std::ranges::any_of(
        source.lines(), [](const TextLine& line) { return compiled<ReportPatterns>().start.found_in(line.text); });
}

}  // namespace

extern const SiteFormat ibnetdiscover_ports{"ibnetdiscover-ports", "`ibnetdiscover -p`", fits_report, read_report};

}  // namespace fabricast::inline discovery::formats
