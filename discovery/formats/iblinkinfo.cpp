// `iblinkinfo`: a heading for each device, below it a line for each port: the cable's width, speed and state, and what
// is at its far end.

#include <map>

#include "base/numbers.hpp"
#include "base/pattern.hpp"
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
    Pattern rate{R"re((\d+)X\s+([\d.]+)\s*Gbps\s+(\w+))re"};
};

const LinkInfoPatterns& link_info_patterns() {
    static const LinkInfoPatterns patterns;
    return patterns;
}

// "4X 106.25 Gbps": Gb/s a lane on the line; the encoding leaves the round figure.
std::int64_t data_megabits(std::string_view lanes, std::string_view gigabits) {
    const double line = figure_in_word(gigabits).value_or(0);
    const double data = line > 200   ? 200
                        : line > 100 ? 100
                        : line > 50  ? 50
                        : line > 20  ? 25
                        : line > 12  ? 13.636
                                     : line * 0.8;
    return static_cast<std::int64_t>(data * 1000 * number_in<int>(lanes).value_or(0) + 0.5);
}

class LinkInfoReader {
public:
    explicit LinkInfoReader(const SourceText& source) : source_(source) {}

    // Far ends are named by their lid, so who has which lid is read first.
    Observations read() {
        for (const bool lids : {true, false}) {
            for (const TextLine& line : source_.lines()) {
                if (const auto heading = link_info_patterns().heading.first_in(line.text)) {
                    kind_ = *(*heading)[1];
                    name_ = std::string(*(*heading)[3]);
                    guid_ = normal_guid((*heading)[2].value_or(""));
                } else if (line.text.find("==(") != std::string_view::npos) {
                    read_port(line, lids);
                }
            }
        }
        return fabric_.finish();
    }

private:
    void read_port(const TextLine& line, bool lids) {
        const auto port = link_info_patterns().port.first_in(line.text);
        if (!port || name_.empty()) {
            refuse(source_.at(line), "a port's line", shown(trimmed(line.text, " \t")),
                   "5 17[  ] ==( 4X 106.25 Gbps Active/  LinkUp)==>  7 1[  ] \"host HCA-1\" ( )");
        }
        // A switch has one lid; each port of an adapter has its own, and its GUID stands in the port's line.
        const std::string lid(*(*port)[2]);
        if (lids) {
            const std::string guid = guid_.empty() ? normal_guid((*port)[1].value_or("")) : guid_;
            DeviceSeen own;
            own.key = guid.empty() ? "lid" + lid : guid;
            own.role = kind_ == "CA" ? Role::host : Role::fabric_switch;
            own.at = source_.at(line);
            by_lid_[lid] = fabric_.add(std::move(own), name_);
            return;
        }
        const CableEnd near{by_lid_.at(lid), std::string(*(*port)[3])};
        const auto rate = link_info_patterns().rate.first_in(*(*port)[4]);
        if (!rate || !(*port)[6]) {
            fabric_.add(DarkPort{near, source_.at(line)});
            return;
        }
        CableSeen cable;
        cable.a = near;
        cable.b = {far_end(*port, line), std::string(*(*port)[7])};
        cable.megabits = data_megabits(*(*rate)[1], *(*rate)[2]);
        cable.at = source_.at(line);
        fabric_.add(std::move(cable));
    }

    std::string far_end(const Pattern::Groups& port, const TextLine& line) {
        const std::string lid(*port[6]);
        if (by_lid_.contains(lid)) { return by_lid_.at(lid); }
        DeviceSeen far;
        const std::string_view name = *port[8];
        const bool host = name.find(' ') != std::string_view::npos && name.find(';') == std::string_view::npos;
        far.role = host ? Role::host : Role::fabric_switch;
        far.at = source_.at(line);
        far.key = port[5] ? normal_guid(*port[5]) : "lid" + lid;
        return fabric_.add(std::move(far), name);
    }

    const SourceText& source_;
    InfinibandFabric fabric_;
    std::string_view kind_;
    std::string name_, guid_;
    std::map<std::string, std::string> by_lid_;  // key of a device
};

}  // namespace

extern const SiteFormat iblinkinfo;
const SiteFormat iblinkinfo{"iblinkinfo", "`iblinkinfo`",
                            [](const SourceText& source) { return source.holds("==(") && source.holds(")==>"); },
                            [](const SourceText& source) { return LinkInfoReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
