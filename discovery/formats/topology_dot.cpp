// topology.dot of Cumulus and its PTM: `"leaf01" [function="leaf"]` and `"leaf01":"swp51" -- "spine01":"swp1"`.

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct DotPatterns {
    Pattern edge{R"re(^\s*"?([\w.-]+)"?\s*:\s*"?([\w./-]+)"?\s*--\s*"?([\w.-]+)"?\s*:\s*"?([\w./-]+)"?(.*)$)re"};
    Pattern node{R"re(^\s*"?([\w.-]+)"?\s*\[(.*)$)re"};
    Pattern function{R"re(function\s*=\s*"?([\w-]+)"?)re"};
    Pattern speed{R"re(speed\s*=\s*"?([\w.]+)"?)re"};
};

Observations read_dot(const SourceText& source) {
    static const DotPatterns patterns;
    WiredDevices wired;
    for (const TextLine& line : source.lines()) {
        const std::string_view text = trimmed(line.text, " \t;");
        if (text.empty() || text.starts_with("//") || text.starts_with("#")) { continue; }
        if (const auto edge = patterns.edge.first_in(text)) {
            const auto speed = patterns.speed.first_in(*(*edge)[5]);
            wired.add({std::string(*(*edge)[1]), std::string(*(*edge)[2])},
                      {std::string(*(*edge)[3]), std::string(*(*edge)[4])}, speed ? megabits_of(*(*speed)[1]) : 0,
                      source.at(line));
        } else if (text.find("--") != std::string_view::npos) {
            refuse(source.at(line), "an edge of the graph", shown(text),
                   "\"leaf01\":\"swp51\" -- \"spine01\":\"swp1\"");
        } else if (const auto node = patterns.node.first_in(text)) {
            if (const auto function = patterns.function.first_in(*(*node)[2])) {
                wired.state(*(*node)[1], *(*function)[1], source.at(line));
            }
        }
    }
    Observations seen = wired.finish();
    seen.plan = true;
    return seen;
}

}  // namespace

extern const SiteFormat topology_dot;
const SiteFormat topology_dot{"topology-dot", "Cumulus' topology.dot",
                              [](const SourceText& source) {
                                  for (const TextLine& line : source.lines()) {
                                      const std::string_view text = trimmed(line.text, " \t");
                                      if (text.empty() || text.starts_with("#") || text.starts_with("//")) { continue; }
                                      return (text.starts_with("graph ") || text.starts_with("strict graph")) &&
                                             text.find('{') != std::string_view::npos;
                                  }
                                  return false;
                              },
                              read_dot};

}  // namespace fabricast::inline discovery::formats
