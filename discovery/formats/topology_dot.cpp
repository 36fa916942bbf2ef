// topology.dot of Cumulus and its PTM: `"leaf01" [function="leaf"]` and `"leaf01":"swp51" -- "spine01":"swp1"`.

#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct DotPatterns {
    // Ports may be missing: `spine01 -- leaf01;`.
    Pattern edge{
        R"re(^\s*"?([\w.-]+)"?(?:\s*:\s*"?([\w./-]+)"?)?\s*--\s*"?([\w.-]+)"?(?:\s*:\s*"?([\w./-]+)"?)?\s*(\[.*)?$)re"};
    Pattern node{R"re(^\s*"?([\w.-]+)"?\s*\[(.*)$)re"};
    Pattern function{R"re(function\s*=\s*"?([\w-]+)"?)re"};
    Pattern speed{R"re(speed\s*=\s*"?([\w.]+)"?)re"};
};

bool is_blank_or_comment(std::string_view text) {
    return text.empty() || text.starts_with("//") || text.starts_with("#");
}

Observations read_dot(const SourceText& source) {
    const auto& patterns = compiled<DotPatterns>();
    WiredDevices wired;
    for (const TextLine& line : source.lines()) {
        const std::string_view text = trimmed(line.text, " \t;");
        if (is_blank_or_comment(text)) { continue; }
        if (const Match edge{patterns.edge, text}) {
            const Match speed(patterns.speed, edge[5]);
            wired.add({edge[1], edge[2]}, {edge[3], edge[4]}, speed ? megabits_of(speed[1]) : 0, source.at(line));
        } else if (text.find("--") != std::string_view::npos) {
            refuse(source.at(line), "an edge of the graph", shown(text),
                   "\"leaf01\":\"swp51\" -- \"spine01\":\"swp1\"");
        } else if (const Match node{patterns.node, text}) {
            if (const Match function{patterns.function, node[2]}) {
                wired.state(node[1], function[1], source.at(line));
            }
        }
    }
    if (source.text().find('}') == std::string::npos) {
        refuse(source.end(), "the graph ends too early", {}, "a closing brace");
    }
    return wired.finish();
}

bool fits_dot(const SourceText& source) {
    for (const TextLine& line : source.lines()) {
        const std::string_view text = trimmed(line.text, " \t");
        if (is_blank_or_comment(text)) { continue; }
        return (text.starts_with("graph ") || text.starts_with("strict graph")) &&
               text.find('{') != std::string_view::npos;
    }
    return false;
}

}  // namespace

extern const SiteFormat topology_dot{"topology-dot", "Cumulus' topology.dot", fits_dot, read_dot, true};

}  // namespace fabricast::inline discovery::formats
