// The walk of one collective, from the command to the printed row, as docs/architecture.md lists it.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/structure/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::structure;

namespace {

using fabricast::testing::root;
constexpr std::size_t most_files = 30;

// The walk's files in order, and those that the page names as not taken.
struct Walk {
    std::vector<std::string> files;
    std::set<std::string> not_taken;
};

Walk walk_of_page() {
    Walk walk;
    std::ifstream in(root / "docs/architecture.md");
    bool inside = false, others = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## ")) { inside = line == "## The walk of one collective"; }
        others = inside && (others || line.starts_with("Not taken"));
        const bool listed =
            inside && !others && !line.empty() && std::isdigit(static_cast<unsigned char>(line[0])) != 0;
        std::size_t end = 0;
        for (std::size_t tick = line.find('`'); (listed || others) && tick != std::string::npos;
             tick = line.find('`', end + 1)) {
            end = line.find('`', tick + 1);
            const std::string file = line.substr(tick + 1, end - tick - 1);
            if (listed) {
                walk.files.push_back(file);
                break;
            }
            walk.not_taken.insert(file);
        }
    }
    return walk;
}

// The words of a source; `called`: only those before an opening bracket.
std::set<std::string> words_of(const std::string& text, bool called) {
    std::set<std::string> words;
    std::string word;
    for (const char c : text + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word += c;
            continue;
        }
        if (word.size() > 2 && (!called || c == '(')) { words.insert(word); }
        word.clear();
    }
    return words;
}

// The headers that may declare what a source defines: those of its folder that it includes, directly or not; of a kind
// those of the folder above, because kinds have no headers.
std::set<std::string> headers_of(const SourceTree& tree, const std::string& source);

// Everything of ours that a source includes, directly or not.
void add_included(const SourceTree& tree, const std::string& path, std::set<std::string>& all) {
    for (const Include& include : tree.find(path)->includes) {
        if (tree.find(include.target) != nullptr && all.insert(include.target).second) {
            add_included(tree, include.target, all);
        }
    }
}

std::set<std::string> headers_of(const SourceTree& tree, const std::string& source) {
    std::set<std::string> all;
    add_included(tree, source, all);
    std::string folder = source.substr(0, source.rfind('/') + 1);
    if (folder.ends_with("/kinds/")) { folder.resize(folder.size() - std::string("kinds/").size()); }
    std::erase_if(all, [&](const std::string& path) { return path.substr(0, path.rfind('/') + 1) != folder; });
    return all;
}

// Whether `caller`, in its source or a header of its own folder, uses a name that a header of `callee` declares and the
// callee defines.
bool calls(const SourceTree& tree, const std::string& caller, const std::string& callee) {
    std::set<std::string> included;
    add_included(tree, caller, included);
    std::set<std::string> used = words_of(tree.find(caller)->text, false);
    for (const std::string& header : headers_of(tree, caller)) { used.merge(words_of(tree.find(header)->text, false)); }
    const std::set<std::string> defined = words_of(tree.find(callee)->text, true);
    for (const std::string& header : headers_of(tree, callee)) {
        const std::set<std::string> declared = words_of(tree.find(header)->text, true);
        if (included.contains(header) && std::ranges::any_of(declared, [&](const std::string& name) {
                return used.contains(name) && defined.contains(name);
            })) {
            return true;
        }
    }
    return false;
}

// Where the chain itself stands: here a file that is called must be listed, or named as not taken.
bool of_chain(const std::string& path) {
    const std::string folder = path.substr(0, path.rfind('/'));
    return folder == "sim/run" || folder == "sim/plan" || path.starts_with("sim/report/summarize");
}

}  // namespace

TEST_CASE("the walk of one collective is as the page lists it, and short") {
    const SourceTree tree(root);
    const Walk walk = walk_of_page();
    REQUIRE(walk.files.size() >= 20);
    CHECK(walk.files.size() <= most_files);
    CHECK(walk.files.front() == "cli/run.cpp");
    CHECK(walk.files.back() == "sim/report/table.cpp");
    for (std::size_t i = 0; i < walk.files.size(); ++i) {
        INFO(walk.files[i]);
        REQUIRE(tree.find(walk.files[i]) != nullptr);
        const auto before = walk.files.begin() + static_cast<std::ptrdiff_t>(i);
        const auto caller = [&](const std::string& file) { return calls(tree, file, walk.files[i]); };
        CHECK((i == 0 || std::any_of(walk.files.begin(), before, caller)));
    }
    for (const std::string& file : walk.not_taken) {
        INFO(file);
        CHECK(tree.find(file) != nullptr);
    }
    std::printf("figure: walk_of_one_collective %zu\n", walk.files.size());
}

TEST_CASE("no file of the chain is missing on the walk") {
    const SourceTree tree(root);
    const Walk walk = walk_of_page();
    for (const std::string& file : walk.files) {
        if (tree.find(file) == nullptr || !of_chain(file)) { continue; }
        for (const Include& include : tree.find(file)->includes) {
            const std::string stem = include.target.substr(0, include.target.rfind('.'));
            const std::string source = stem + ".cpp";
            if (tree.find(source) != nullptr && of_chain(source)) {
                INFO(file << " includes " << include.target);
                CHECK((std::ranges::find(walk.files, source) != walk.files.end() || walk.not_taken.contains(source)));
            }
        }
    }
}
