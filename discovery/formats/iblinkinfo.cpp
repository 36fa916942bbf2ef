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
    // guid "name" lid port[..] ==( 4X 106.25 Gbps Active/ LinkUp )==> guid lid port[..] "name" ( )
    Pattern port{
        R"re(^\s*(?:0x([0-9a-f]+)\s+)?(?:"\s*([^"]*?)\s*"\s+)?(\d+)\s+(\d+)\[[^\]]*\]\s*==\(\s*(.*?)\s*\)==>\s*)re"
        R"re((?:0x([0-9a-f]+)\s+)?(?:(\d+)\s+(\d+))?\s*(?:\[[^\]]*\]\s*)?"([^"]*)")re"};
    Pattern rate{R"re((\d+)X\s+([\d.]+)\s*Gbps\s+(\(FDR10\)\s+)?\w+)re"};
};

constexpr int most_lanes = 12;  // InfiniBand's widest port

// "4X 106.25 Gbps": Gb/s a lane on the line; the encoding leaves the round figure. 0: no width that there is.
std::int64_t data_megabits(int lanes, const std::string& gigabits, bool fdr10) {
    if (lanes < 1 || lanes > most_lanes) { return 0; }
    if (fdr10) { return 10'000 * lanes; }
    const double line = figure_in_word(gigabits).value_or(0);
    const double data = line > 200   ? 200
                        : line > 100 ? 100
                        : line > 50  ? 50
                        : line > 20  ? 25
                        : line > 12  ? 13.636
                                     : line * 0.8;
    return static_cast<std::int64_t>(data * 1000 * lanes + 0.5);
}

// One line: a port with its cable.
struct LinkInfoPort {
    std::string device, port, far, far_port, far_name;
    std::int64_t megabits = 0;
    SourceLocation at;
};

class LinkInfoReader {
public:
    explicit LinkInfoReader(const SourceText& source) : source_(source) {}

    // Far ends are named by their lid, so all lines are read before any is joined.
    Observations read() {
        for (const TextLine& line : source_.lines()) {
            if (const Match heading{compiled<LinkInfoPatterns>().heading, line.text}) {
                stated_ = heading[1] == "CA" ? Role::host : Role::fabric_switch;
                name_ = heading[3];
                key_ = normal_guid(heading[2]);
            } else if (line.text.find("==(") != std::string_view::npos) {
                read_port(line);
            }
        }
        for (const auto& [key, seen] : own_) {
            fabric_.add({key, seen.role == Role::unknown ? role_of(seen.name, seen.lines) : seen.role, seen.at},
                        seen.name);
        }
        for (LinkInfoPort& port : ports_) {
            if (const auto known = by_lid_.find(port.far); known != by_lid_.end()) {
                port.far = known->second;
            } else {
                fabric_.add({port.far, role_of(port.far_name, references_[port.far]), port.at}, port.far_name);
            }
            fabric_.add_cable({port.device, port.port}, {port.far, port.far_port}, "", port.at, port.megabits);
        }
        return fabric_.finish();
    }

private:
    struct Own {
        Role role = Role::unknown;
        std::string name;
        int lines = 0;
        SourceLocation at;
    };

    // Without a heading only the ports tell: a switch has one GUID and one lid for all of them, an adapter's port has
    // its own. In a scan of one switch another may be seen once, too; its name has to tell.
    static Role role_of(const std::string& name, int lines) {
        const bool names_switch = name.find(';') != std::string::npos || name.find("Technologies") != std::string::npos;
        return InfinibandFabric::names_host(name) || (lines == 1 && !names_switch) ? Role::host : Role::fabric_switch;
    }

    void read_port(const TextLine& line) {
        const Match port(compiled<LinkInfoPatterns>().port, line.text);
        const bool by_line = port && !port[2].empty();
        if (!port || (!by_line && name_.empty())) {
            refuse(source_.at(line), port ? "a port before the line of its device" : "a port's line",
                   shown(trimmed(line.text, " \t")),
                   "5 17[  ] ==( 4X 106.25 Gbps Active/  LinkUp)==>  7 1[  ] \"host HCA-1\" ( )");
        }
        // A switch's GUID stands in its heading; an adapter is known by that of its first port.
        if (by_line || key_.empty()) { key_ = normal_guid(port[1]); }
        if (key_.empty()) { key_ = "lid" + port[3]; }
        Own& own = own_[key_];
        if (++own.lines == 1) {
            own.role = by_line ? Role::unknown : stated_;
            own.name = by_line ? port[2] : name_;
            own.at = source_.at(line);
        }
        if (port[3] != "0") { by_lid_["lid" + port[3]] = key_; }
        if (by_line) { by_lid_[key_] = key_; }
        const Match rate(compiled<LinkInfoPatterns>().rate, port[5]);
        if (!rate || port[7].empty()) { return; }  // a port without a working cable
        if (port[6].empty() && port[7] == "0") {
            refuse(source_.at(line), "a far end without a lid", shown(trimmed(line.text, " \t")),
                   "the output after a subnet manager ran, or of iblinkinfo --line");
        }
        const std::string far = port[6].empty() ? "lid" + port[7] : normal_guid(port[6]);
        ++references_[far];
        ports_.push_back({key_, port[4], far, port[8], port[9],
                          data_megabits(rate.whole(1, 0), rate[2], !rate[3].empty()), source_.at(line)});
    }

    const SourceText& source_;
    InfinibandFabric fabric_;
    Role stated_ = Role::unknown;
    std::string name_, key_;  // of the device whose ports these are
    std::map<std::string, Own> own_;
    std::vector<LinkInfoPort> ports_;
    std::map<std::string, std::string> by_lid_;  // key of a device
    std::map<std::string, int> references_;
};

}  // namespace

extern const SiteFormat iblinkinfo{"iblinkinfo", "`iblinkinfo`",
                                   [](const SourceText& source) { return source.holds("==(") && source.holds(")==>"); },
                                   [](const SourceText& source) { return LinkInfoReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
