// `ibnetdiscover`, and the topology files of opensm and UFM in the same form: a block for each device, a line for each
// port with a cable. What mail makes of it (tabs gone, "Switch41 "S-...) is read too.

#include <map>

#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"

namespace fabricast::inline discovery::formats {

namespace {

constexpr std::string_view blanks = " \t";

struct BlockPatterns {
    Pattern device{R"re(^(Switch|Ca|Rt)\s*(\d+)\s*"[SHR]-([0-9a-f]+)"\s*#\s*"(.*?)"(.*)$)re"};
    Pattern port{
        R"re(^\[(\d+)\](?:\[ext \d+\])?\s*(?:\(([0-9a-f]+)\))?\s*"([SHR])-([0-9a-f]+)"\s*\[(\d+)\]\s*(?:\([0-9a-f]+\))?\s*)re"
        R"re((?:\[ext \d+\])?\s*(?:#(.*))?$)re"};
    Pattern number{R"re(^(devid|sysimgguid)=0x([0-9a-f]+))re"};
    Pattern name{R"re("(.*?)")re"};
    Pattern rate{R"re((\d+x\s?[A-Z0-9?]+)\s*(?:s=\d+ w=\d+.*)?$)re", Pattern::Case::counts};
};

class BlockReader {
public:
    explicit BlockReader(const SourceText& source) : source_(source) {}

    Observations read() {
        for (TextLine line : source_.lines()) {
            line.text = trimmed(line.text, blanks);  // manuals and mail indent it
            if (line.text.empty() || line.text[0] == '#') { continue; }
            if (line.text[0] == '[') {
                read_port(line);
            } else if (const Match device{patterns_.device, line.text}) {
                DeviceSeen seen{normal_guid(device[3]), device[1] == "Ca" ? Role::host : Role::fabric_switch,
                                source_.at(line)};
                seen.ports = device.whole(2, 0);
                seen.part = number_in<std::uint32_t>(part_, 16).value_or(0);
                seen.group = normal_guid(system_);
                at_ = fabric_.add(std::move(seen), device[4]);
                part_.clear();
                system_.clear();
            } else if (const Match number{patterns_.number, line.text}) {
                (number[1] == "devid" ? part_ : system_) = number[2];
            } else if (line.text.find('=') == std::string_view::npos &&
                       line.text.find("\"S-") != std::string_view::npos) {
                refuse(source_.at(line), "a line of no known form", shown(line.text),
                       "Switch N \"S-guid\" # \"name\", or [port] \"H-guid\"[port]");
            }
        }
        // A scan of switches alone, or one that was cut, has no block for a device that others' lines name.
        for (auto& [key, peer] : peers_) { (void)fabric_.add(std::move(peer.first), peer.second); }
        return fabric_.finish();
    }

private:
    void read_port(const TextLine& line) {
        if (at_.empty()) {
            refuse(source_.at(line), "a port before the first device", shown(line.text), "Switch or Ca above it");
        }
        const Match port(patterns_.port, line.text);
        if (!port) {
            refuse(source_.at(line), "a port's line", shown(line.text), "[1] \"S-guid\"[17] # \"name\" lid 5 4xNDR");
        }
        const Match rate(patterns_.rate, port[6]);
        const std::string peer = normal_guid(port[4]);
        if (!peers_.contains(peer)) {
            const Match name(patterns_.name, port[6]);
            const Role role = port[3] == "H" ? Role::host : Role::fabric_switch;
            peers_.emplace(peer, std::pair(DeviceSeen{peer, role, source_.at(line)}, name ? name[1] : ""));
        }
        fabric_.add_cable({at_, port[1]}, {peer, port[5]}, rate ? rate[1] : "", source_.at(line));
    }

    const SourceText& source_;
    const BlockPatterns& patterns_ = compiled<BlockPatterns>();
    InfinibandFabric fabric_;
    std::string at_;  // the device whose block this is
    std::string part_, system_;
    std::map<std::string, std::pair<DeviceSeen, std::string>> peers_;
};

bool fits_blocks(const SourceText& source) {
    for (const TextLine& line : source.lines()) {
        if (line.text.find("\"S-") != std::string_view::npos || line.text.find("\"H-") != std::string_view::npos) {
            const auto& patterns = compiled<BlockPatterns>();
            const std::string_view text = trimmed(line.text, blanks);
            return patterns.device.found_in(text) || patterns.port.found_in(text);
        }
    }
    return false;
}

}  // namespace

extern const SiteFormat ibnetdiscover{"ibnetdiscover", "`ibnetdiscover`; topology files of opensm and UFM", fits_blocks,
                                      [](const SourceText& source) { return BlockReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
