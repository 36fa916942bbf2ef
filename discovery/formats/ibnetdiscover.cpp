// `ibnetdiscover`, and the topology files of opensm and UFM in the same form: a block for each device, a line for each
// port with a cable. What mail makes of it (tabs gone, "Switch41 "S-...) is read too.

#include <map>

#include "base/numbers.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct BlockPatterns {
    Pattern device{R"re(^(Switch|Ca|Rt)\s*(\d+)\s*"[SHR]-([0-9a-f]+)"\s*#\s*"(.*?)"(.*)$)re"};
    Pattern port{
        R"re(^\[(\d+)\](?:\[ext \d+\])?\s*(?:\(([0-9a-f]+)\))?\s*"([SHR])-([0-9a-f]+)"\s*\[(\d+)\]\s*(?:\([0-9a-f]+\))?\s*)re"
        R"re((?:\[ext \d+\])?\s*(?:#(.*))?$)re"};
    Pattern number{R"re(^(devid|sysimgguid)=0x([0-9a-f]+))re"};
    Pattern rate{R"re((\d+x\s?[A-Z0-9?]+)\s*(?:s=\d+ w=\d+.*)?$)re", Pattern::Case::counts};
};

const BlockPatterns& block_patterns() {
    static const BlockPatterns patterns;
    return patterns;
}

class BlockReader {
public:
    explicit BlockReader(const SourceText& source) : source_(source) {}

    Observations read() {
        for (const TextLine& line : source_.lines()) {
            if (line.text.empty() || line.text[0] == '#') { continue; }
            if (line.text[0] == '[') {
                read_port(line);
            } else if (const auto device = block_patterns().device.first_in(line.text)) {
                read_device(*device, line);
            } else if (const auto number = block_patterns().number.first_in(line.text)) {
                (*(*number)[1] == "devid" ? part_ : system_) = std::string(*(*number)[2]);
            } else if (line.text.find('=') == std::string_view::npos &&
                       line.text.find("\"S-") != std::string_view::npos) {
                refuse(source_.at(line), "a line of no known form", shown(line.text),
                       "Switch N \"S-guid\" # \"name\", or [port] \"H-guid\"[port]");
            }
        }
        return fabric_.finish();
    }

private:
    void read_device(const Pattern::Groups& groups, const TextLine& line) {
        DeviceSeen device;
        device.key = normal_guid(*groups[3]);
        device.part = number_in<std::uint32_t>(part_, 16).value_or(0);
        device.group = normal_guid(system_);
        device.ports = number_in<int>(*groups[2]).value_or(0);
        device.at = source_.at(line);
        device.role = *groups[1] == "Ca" ? Role::host : Role::fabric_switch;
        at_ = fabric_.add(std::move(device), *groups[4]);
        part_.clear();
        system_.clear();
    }

    void read_port(const TextLine& line) {
        if (at_.empty()) {
            refuse(source_.at(line), "a port before the first device", shown(line.text), "Switch or Ca above it");
        }
        const auto port = block_patterns().port.first_in(line.text);
        if (!port) {
            refuse(source_.at(line), "a port's line", shown(line.text), "[1] \"S-guid\"[17] # \"name\" lid 5 4xNDR");
        }
        CableSeen cable;
        cable.a = {at_, std::string(*(*port)[1])};
        cable.b = {normal_guid(*(*port)[4]), std::string(*(*port)[5])};
        if (const auto rate = block_patterns().rate.first_in((*port)[6].value_or(""))) {
            cable.technology = std::string(*(*rate)[1]);
        }
        cable.megabits = infiniband_megabits(cable.technology);
        cable.at = source_.at(line);
        fabric_.add(std::move(cable));
    }

    const SourceText& source_;
    InfinibandFabric fabric_;
    std::string at_;  // the device whose block this is
    std::string part_, system_;
};

}  // namespace

extern const SiteFormat ibnetdiscover;
const SiteFormat ibnetdiscover{
    "ibnetdiscover", "`ibnetdiscover`; topology files of opensm and UFM",
    [](const SourceText& source) {
        for (const TextLine& line : source.lines()) {
            if (line.text.find("\"S-") != std::string_view::npos || line.text.find("\"H-") != std::string_view::npos) {
                return block_patterns().device.found_in(line.text) || block_patterns().port.found_in(line.text);
            }
        }
        return false;
    },
    [](const SourceText& source) { return BlockReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
