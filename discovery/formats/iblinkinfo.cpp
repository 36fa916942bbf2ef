// `iblinkinfo`: a heading for each device, below it a line for each port: the cable's width, speed and state, and what
// is at its far end. With `--line` each line begins with its device.

#include <map>

#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/infiniband.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct LinkInfoPatterns {
    Pattern heading{R"re(^(CA|Switch|Router):\s+(?:0x([0-9a-f]+)\s+)?(.*?)\s*:\s*$)re"};
    // guid lid port[..] ==( 4X 106.25 Gbps Active/ LinkUp )==> guid lid port[..] "name" ( )
    Pattern port{R"re(^\s*(?:0x([0-9a-f]+)\s+)?(?:"[^"]*"\s+)?(\d+)\s+(\d+)\[[^\]]*\]\s*==\(\s*(.*?)\s*\)==>\s*)re"
                 R"re((?:0x([0-9a-f]+)\s+)?(?:(\d+)\s+(\d+))?\s*\[[^\]]*\]\s*"([^"]*)")re"};
    Pattern own_device{R"re(^\s*0x([0-9a-f]+)\s+"\s*([^"]*?)\s*"\s+\d+\s+\d+\[)re"};
    Pattern rate{R"re((\d+)X\s+([\d.]+)\s*Gbps\s+(\w+))re"};
};

// "4X 106.25 Gbps": Gb/s a lane on the line; the encoding leaves the round figure.
std::int64_t data_megabits(int lanes, const std::string& gigabits) {
    const double line = figure_in_word(gigabits).value_or(0);
    const double data = line > 200   ? 200
                        : line > 100 ? 100
                        : line > 50  ? 50
                        : line > 20  ? 25
                        : line > 12  ? 13.636
                                     : line * 0.8;
    return static_cast<std::int64_t>(data * 1000 * lanes + 0.5);
}

Role role_of(bool host) { return host ? Role::host : Role::fabric_switch; }

class LinkInfoReader {
public:
    explicit LinkInfoReader(const SourceText& source) : source_(source) {}

    // Far ends are named by their lid, so who has which lid is read first.
    Observations read() {
        for (const bool lids : {true, false}) {
            for (const TextLine& line : source_.lines()) {
                if (const Match heading{compiled<LinkInfoPatterns>().heading, line.text}) {
                    host_ = heading[1] == "CA";
                    name_ = heading[3];
                    guid_ = normal_guid(heading[2]);
                } else if (line.text.find("==(") != std::string_view::npos) {
                    if (const Match own{compiled<LinkInfoPatterns>().own_device, line.text}) {
                        host_ = InfinibandFabric::names_host(own[2]);
                        name_ = own[2];
                        guid_ = normal_guid(own[1]);
                    }
                    read_port(line, lids);
                }
            }
        }
        return fabric_.finish();
    }

private:
    void read_port(const TextLine& line, bool lids) {
        const Match port(compiled<LinkInfoPatterns>().port, line.text);
        if (!port || name_.empty()) {
            refuse(source_.at(line), port ? "a port before the line of its device" : "a port's line",
                   shown(trimmed(line.text, " \t")),
                   "5 17[  ] ==( 4X 106.25 Gbps Active/  LinkUp)==>  7 1[  ] \"host HCA-1\" ( )");
        }
        // A switch has one lid; each port of an adapter has its own, and its GUID stands in the port's line.
        const std::string& lid = port[2];
        if (lids) {
            const std::string guid = guid_.empty() ? normal_guid(port[1]) : guid_;
            by_lid_[lid] = fabric_.add({guid.empty() ? "lid" + lid : guid, role_of(host_), source_.at(line)}, name_);
            return;
        }
        const Match rate(compiled<LinkInfoPatterns>().rate, port[4]);
        if (!rate || port[6].empty()) { return; }  // a port without a working cable
        fabric_.add_cable({by_lid_.at(lid), port[3]}, {far_end(port, line), port[7]}, "", source_.at(line),
                          data_megabits(rate.whole(1, 0), rate[2]));
    }

    std::string far_end(const Match& port, const TextLine& line) {
        if (const auto known = by_lid_.find(port[6]); known != by_lid_.end()) { return known->second; }
        const std::string& name = port[8];
        const std::string key = port[5].empty() ? "lid" + port[6] : normal_guid(port[5]);
        return fabric_.add({key, role_of(InfinibandFabric::names_host(name)), source_.at(line)}, name);
    }

    const SourceText& source_;
    InfinibandFabric fabric_;
    bool host_ = false;
    std::string name_, guid_;
    std::map<std::string, std::string> by_lid_;  // key of a device
};

}  // namespace

extern const SiteFormat iblinkinfo{"iblinkinfo", "`iblinkinfo`",
                                   [](const SourceText& source) { return source.holds("==(") && source.holds(")==>"); },
                                   [](const SourceText& source) { return LinkInfoReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
