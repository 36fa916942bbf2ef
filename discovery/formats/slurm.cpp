// Slurm's trees and blocks: topology.conf (SwitchName=..., BlockName=...), topology.yaml of 25.05, and topograph's
// model files, which say the same in YAML. No cables: who is below which switch.

#include <algorithm>
#include <map>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "base/yaml.hpp"
#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

// "SwitchName=s0 Nodes=n[1-4] LinkSpeed=100" -> by lower-case key.
std::map<std::string, std::string> settings_of(const TextLine& line) {
    std::map<std::string, std::string> settings;
    std::string last;
    for (const auto& [word, column] : line.words()) {
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) {
            if (!last.empty()) { settings[last] += word; }  // a blank within a list of nodes
            continue;
        }
        last = lower_case(word.substr(0, equals));
        settings[last] = word.substr(equals + 1);
    }
    return settings;
}

void add_names(std::string_view list, const SourceLocation& at, Hostlists& lists, GroupSeen& group) {
    for (std::string& name : lists.names(list, at)) { group.groups.push_back(std::move(name)); }
}

void add_hosts(std::string_view list, const SourceLocation& at, Hostlists& lists, GroupSeen& group) {
    for (const std::string& name : lists.names(list, at)) { group.hosts.push_back(host_name(name)); }
}

bool is_conf_line(std::string_view text) {
    const std::string line = lower_case(text);
    return line.starts_with("switchname=") || line.starts_with("blockname=");
}

// A generator comments out a block that is too small for the scheduler; it is a fact of the machine all the same.
bool is_commented_block(std::string_view text) { return lower_case(text).starts_with("#blockname="); }

bool fits_conf(const SourceText& source) {
    return std::ranges::any_of(source.lines(), [](const TextLine& line) {
        const std::string_view text = trimmed(line.text, " \t");
        return is_conf_line(text) || is_commented_block(text);
    });
}

Observations read_conf(const SourceText& source) {
    Observations seen;
    Hostlists lists;
    for (const TextLine& line : source.lines()) {
        const std::string_view text = trimmed(line.text, " \t");
        const bool commented = is_commented_block(text);
        if (text.empty() || (text[0] == '#' && !commented)) { continue; }
        if (!commented && !is_conf_line(text)) {
            const std::string word = lower_case(text);
            if (word.starts_with("blocksizes=") || word.starts_with("topology")) { continue; }
            refuse(source.at(line), "a line of no known form", shown(text), "SwitchName=, BlockName=, BlockSizes=");
        }
        auto settings = settings_of({commented ? text.substr(1) : text, line.number});
        const bool block = settings.contains("blockname");
        GroupSeen& group =
            seen.groups.emplace_back(GroupSeen{settings[block ? "blockname" : "switchname"], source.at(line), block});
        add_hosts(settings["nodes"], group.at, lists, group);
        add_names(settings["switches"], group.at, lists, group);
        if (commented) {
            seen.notes.push_back("block " + group.name + " is commented out in the file; read all the same");
        }
        if (group.name.empty() || (group.hosts.empty() && group.groups.empty())) {
            refuse(group.at, "a switch or block without anything below it", shown(text), "Nodes= or Switches=");
        }
    }
    return seen;
}

GroupSeen group_of(const yaml::Node& item, const std::string& name, bool block, Hostlists& lists) {
    GroupSeen group{name, item.place, block};
    for (const char* key : {"children", "switches", "nodes"}) {
        const yaml::Node* list = item.is_map() ? item.get(key) : nullptr;
        if (list == nullptr) { continue; }
        for (const yaml::Node& one : list->is_list() ? list->items() : std::vector<yaml::Node>{*list}) {
            if (key == std::string_view("nodes")) {
                add_hosts(one.as_string(), one.place, lists, group);
            } else {
                add_names(one.as_string(), one.place, lists, group);
            }
        }
    }
    return group;
}

// topology.yaml: a list of named topologies, each a tree, blocks, or nothing.
void read_topology(const yaml::Node& topology, Hostlists& lists, Observations& seen) {
    const yaml::Node* tree = topology.get("tree");
    const yaml::Node* block = topology.get("block");
    if (tree == nullptr && block == nullptr) { ++seen.dropped["topology without switches"]; }
    for (const yaml::Node& item : tree != nullptr ? tree->items_of("switches") : std::vector<yaml::Node>{}) {
        seen.groups.push_back(group_of(item, item.required("switch").as_string(), false, lists));
    }
    for (const yaml::Node& item : block != nullptr ? block->items_of("blocks") : std::vector<yaml::Node>{}) {
        seen.groups.push_back(group_of(item, item.required("block").as_string(), true, lists));
    }
}

// topograph's models: a map of switches, and a list of blocks below leaves.
void read_model(const yaml::Node& root, Hostlists& lists, Observations& seen) {
    if (const yaml::Node* switches = root.get("switches")) {
        for (const yaml::Node& item : switches->members()) {
            seen.groups.push_back(group_of(item, item.name, false, lists));
        }
    }
    for (const char* key : {"blocks", "capacity_blocks"}) {
        for (const yaml::Node& item : root.items_of(key)) {
            const yaml::Node* leaf = item.get("switch");
            GroupSeen group =
                group_of(item, leaf == nullptr ? item.text_or("name", "block") : leaf->as_string(), false, lists);
            const auto known = std::ranges::find(seen.groups, group.name, &GroupSeen::name);
            if (known == seen.groups.end()) {
                seen.groups.push_back(std::move(group));
            } else {
                known->hosts.insert(known->hosts.end(), group.hosts.begin(), group.hosts.end());
            }
        }
    }
}

Observations read_yaml(const SourceText& source) {
    const yaml::Node root = yaml::parse(source.text(), source.file());
    Observations seen;
    Hostlists lists;
    if (root.is_list()) {
        for (const yaml::Node& topology : root.items()) { read_topology(topology, lists, seen); }
    } else {
        read_model(root, lists, seen);
    }
    if (seen.groups.empty()) { root.fail("no switch and no block in it"); }
    return seen;
}

bool is_topology_yaml(const SourceText& source) {
    bool list = false;
    for (const TextLine& line : source.lines()) {
        list = list || line.text.find("topology:") != std::string_view::npos;
        if (line.text == "switches:" || line.text == "blocks:" || line.text == "capacity_blocks:") { return true; }
        const std::string_view text = trimmed(line.text, " -");
        if (list && (text.starts_with("tree:") || text.starts_with("block:") || text.starts_with("flat:"))) {
            return true;
        }
    }
    return false;
}

// "host: 0x155dfffd33ff33" and superbench's "VM_hostname host" with a GUID a line: which adapters a host has.
Observations read_host_guids(const SourceText& source) {
    Observations seen;
    std::map<std::string, GroupSeen> domains;
    std::string host;
    for (const TextLine& line : source.lines()) {
        const std::vector<TextWord> words = line.words();
        if (words.empty() || words[0].text.starts_with("#")) { continue; }
        if (words.size() == 2 && words[0].text == "VM_hostname") {
            host = host_name(words[1].text);
            continue;
        }
        if (words.size() == 2 && words[0].text.ends_with(":")) {
            host = host_name(words[0].text.substr(0, words[0].text.size() - 1));
        }
        const std::string_view id = words.back().text;
        if (host.empty() || words.size() > 2 || normal_guid(id).empty()) {
            refuse(source.at(line), "neither a host nor a GUID", shown(line.text), "HOST: 0x155dfffd33ff33");
        }
        // A UUID names an NVLink domain, a GUID an adapter.
        if (id.find('-') != std::string_view::npos) {
            GroupSeen& domain = domains[std::string(id)];
            domain.name = id;
            domain.block = true;
            domain.at = source.at(line);
            domain.hosts.push_back(host);
        } else {
            seen.hosts_of[normal_guid(id)] = host;
        }
    }
    for (auto& [name, domain] : domains) { seen.groups.push_back(std::move(domain)); }
    return seen;
}

bool lists_host_guids(const SourceText& source) {
    for (const TextLine& line : source.lines()) {
        const std::vector<TextWord> words = line.words();
        if (words.empty() || words[0].text.starts_with("#")) { continue; }
        const bool pair = words.size() == 2 && words[0].text.ends_with(":") && normal_guid(words[1].text).size() >= 12;
        return pair || (words.size() == 2 && words[0].text == "VM_hostname");
    }
    return false;
}

}  // namespace

extern const SiteFormat slurm_conf{"slurm-conf", "Slurm's topology.conf, trees and blocks", fits_conf, read_conf};
extern const SiteFormat slurm_yaml{"slurm-yaml", "Slurm's topology.yaml; topograph's models", is_topology_yaml,
                                   read_yaml};
extern const SiteFormat host_guids{"host-guids", "a host and a GUID, or the UUID of its NVLink domain, a line",
                                   lists_host_guids, read_host_guids};

}  // namespace fabricast::inline discovery::formats
