#include "validate/import/alias.hpp"

#include <stdexcept>

#include "validate/import/embedded.hpp"

namespace fabricast::inline validate_import {
namespace {

Pattern read_pattern(const yaml::Node& node) {
    try {
        return Pattern(node.as_string());
    } catch (const std::invalid_argument& error) {
        node.fail(std::string("not a regular expression: ") + error.what());
    }
}

Alias read_alias(const yaml::Node& node) {
    node.required("match");
    Alias alias;
    for (const yaml::Node& member : node.members()) {
        std::optional<Pattern>* pattern = member.name == "match"    ? &alias.match
                                          : member.name == "and"    ? &alias.also
                                          : member.name == "unless" ? &alias.unless
                                                                    : nullptr;
        if (pattern == nullptr) {
            alias.means[member.name] = member.as_string();
            continue;
        }
        *pattern = read_pattern(member);
    }
    return alias;
}

std::vector<NodeAlias> read_nodes(const yaml::Node& root) {
    constexpr std::int64_t most = 1024;
    std::vector<NodeAlias> nodes;
    for (const yaml::Node& node : root.required("nodes").items()) {
        node.allow({"gpu", "intra", "gpus", "network", "node", "words"});
        NodeAlias alias{
            node.required("gpu").as_string(),  node.text_or("intra"),
            node.required("node").as_string(), static_cast<std::uint32_t>(node.required("gpus").as_int(1, most)),
            node.text_or("network"),           {}};
        if (const yaml::Node* words = node.get("words")) {
            alias.words = read_pattern(*words);
        } else {
            node.required("intra");
        }
        nodes.push_back(std::move(alias));
    }
    return nodes;
}

WordMap read_words(const yaml::Node& root, std::string_view key) {
    WordMap words;
    for (const yaml::Node& member : root.required(key).members()) { words[member.name] = member.as_string(); }
    return words;
}

AliasTable read_alias_table(const yaml::Node& root) {
    root.allow({"gpus", "unnamed_gpus", "intra", "nodes", "networks", "speeds", "hosts", "cpu_by_generation",
                "collectives", "dtypes", "launchers", "link", "speed_by_generation", "nccl_by_generation", "nccl_usual",
                "nccl_dates", "nccl_by_cuda"});
    const auto aliases = [&](std::string_view key) { return read_aliases(root, key); };
    const auto words = [&](std::string_view key) { return read_words(root, key); };
    AliasTable table{aliases("gpus"),
                     aliases("unnamed_gpus"),
                     aliases("intra"),
                     read_nodes(root),
                     aliases("networks"),
                     aliases("speeds"),
                     aliases("hosts"),
                     words("cpu_by_generation"),
                     aliases("collectives"),
                     aliases("dtypes"),
                     aliases("launchers"),
                     words("link"),
                     words("speed_by_generation"),
                     words("nccl_by_generation"),
                     words("nccl_usual"),
                     words("nccl_dates"),
                     {}};
    for (const yaml::Node& node : root.required("nccl_by_cuda").items()) {
        node.allow({"cuda", "nccl"});
        table.nccl_by_cuda.emplace_back(node.required("cuda").as_string(), node.required("nccl").as_string());
    }
    return table;
}

}  // namespace

std::string_view word_in(const WordMap& words, std::string_view key) {
    const auto found = words.find(key);
    return found == words.end() ? std::string_view{} : std::string_view{found->second};
}

AliasList read_aliases(const yaml::Node& root, std::string_view key) {
    AliasList list;
    for (const yaml::Node& node : root.required(key).items()) { list.push_back(read_alias(node)); }
    return list;
}

const Alias* first_match(const AliasList& list, std::string_view text) {
    for (const Alias& alias : list) {
        if (alias.match->found_in(text) && (!alias.also || alias.also->found_in(text)) &&
            !(alias.unless && alias.unless->found_in(text))) {
            return &alias;
        }
    }
    return nullptr;
}

const AliasTable& builtin_aliases() {
    static const AliasTable table = read_alias_table(embedded_tree("validate/aliases.yaml"));
    return table;
}

}  // namespace fabricast::inline validate_import
