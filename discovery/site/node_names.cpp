#include "discovery/site/node_names.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.hpp"

namespace fabricast::inline site {

namespace {

bool nameless(const Observations& seen) { return seen.nodes.size() == 1 && seen.nodes.front().host.empty(); }

// Each run of the parts between separators: "topo_dgx-03" -> topo, topo_dgx, topo_dgx-03, dgx, dgx-03, 03.
void add_words(std::set<std::string>& words, const std::string& text) {
    constexpr std::string_view separators = "-_. ";
    std::vector<std::size_t> begins, ends;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool part = separators.find(text[i]) == std::string_view::npos;
        if (part && (i == 0 || separators.find(text[i - 1]) != std::string_view::npos)) { begins.push_back(i); }
        if (part && (i + 1 == text.size() || separators.find(text[i + 1]) != std::string_view::npos)) {
            ends.push_back(i + 1);
        }
    }
    for (std::size_t from = 0; from < begins.size(); ++from) {
        for (std::size_t to = from; to < std::min(ends.size(), from + 8); ++to) {
            words.insert(text.substr(begins[from], ends[to] - begins[from]));
        }
    }
}

std::set<std::string> words_of(const std::string& file) {
    const std::filesystem::path path(file);
    std::set<std::string> words;
    for (const auto& part : path.parent_path()) { add_words(words, lower_case(part.string())); }
    add_words(words, lower_case(path.stem().string()));
    return words;
}

}  // namespace

std::vector<std::string> words_of_hosts(const std::vector<Observations>& all) {
    std::vector<std::string> chosen(all.size());
    std::map<std::string_view, std::size_t> files;  // of a nameless host, by kind
    for (const Observations& seen : all) { files[seen.format] += nameless(seen) ? 1 : 0; }
    if (std::ranges::none_of(files, [](const auto& kind) { return kind.second > 1; })) { return chosen; }
    std::vector<std::set<std::string>> words(all.size());
    std::map<std::string, std::map<std::string_view, std::size_t>> users;  // by word, then by kind
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!nameless(all[i])) { continue; }
        words[i] = words_of(all[i].file);
        for (const std::string& word : words[i]) { ++users[word][all[i].format]; }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const std::string& word : words[i]) {
            const auto& kinds = users.at(word);
            const bool one_each = std::ranges::all_of(kinds, [](const auto& kind) { return kind.second == 1; });
            if (kinds.size() > 1 && one_each && word.size() > chosen[i].size()) { chosen[i] = word; }
        }
    }
    return chosen;
}

void name_by_files(std::vector<NodeSeen>& nodes) {
    for (const bool folder : {false, true}) {
        const auto name_of = [&](const NodeSeen& node) {
            if (!node.host.empty() || node.at.file == nullptr) { return node.host; }
            const std::filesystem::path path(*node.at.file);
            return (folder ? path.parent_path().filename() : path.stem()).string();
        };
        std::map<std::string, std::size_t> uses;
        for (const NodeSeen& node : nodes) { ++uses[name_of(node)]; }
        for (NodeSeen& node : nodes) {
            const std::string name = name_of(node);
            if (nodes.size() > 1 && uses.at(name) == 1) { node.host = name; }
        }
    }
}

std::string host_in_path(const std::string& file, const std::function<bool(const std::string&)>& known) {
    for (const auto& part : std::filesystem::path(file)) {
        for (std::string word = host_name(part.string()); !word.empty();
             word.resize(word.find_last_of("-_") == std::string::npos ? 0 : word.find_last_of("-_"))) {
            if (known(word)) { return word; }
        }
    }
    return {};
}

}  // namespace fabricast::inline site
