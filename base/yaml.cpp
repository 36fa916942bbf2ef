#include "base/yaml.hpp"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "base/text_file.hpp"

namespace fabricast::inline base::yaml {

namespace {

using File = std::shared_ptr<const std::string>;

// yaml-cpp counts from 0 and marks an empty document with -1.
SourceLocation place_of(const File& file, const YAML::Mark& mark) {
    return {file, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

struct Extent {
    std::size_t nodes = 1;
    int height = 1;
};

Extent extent_of(const Node& node) {
    Extent all;
    for (const Node& child : node.children) {
        const Extent one = extent_of(child);
        all.nodes += one.nodes;
        all.height = std::max(all.height, one.height + 1);
    }
    return all;
}

// Builds the tree from yaml-cpp's events and throws at the first thing that we do not accept. Throwing from an event
// handler also limits yaml-cpp's recursion.
class Builder final : public YAML::EventHandler {
public:
    std::optional<Node> root;
    std::optional<YAML::Mark> last_quoted;  // start of the last quoted scalar

    explicit Builder(const File& file) { here_.file = file; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        at(mark);
        if (++documents_ > 1) { fail("several documents in one file (accepted: one)"); }
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        at(mark);
        add(leaf(Kind::null), anchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        at(mark);
        check_tag(tag);
        Node node = leaf(Kind::scalar);
        node.quoted = tag == "!";
        node.text = value;
        if (node.quoted) { last_quoted = mark; }
        add(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        at(mark);
        const auto known = anchored_.find(anchor);
        if (known == anchored_.end()) {
            fail("an alias refers to a value that contains it (accepted: aliases of finished values)");
        }
        const Extent extent = extent_of(known->second);
        check_limits(extent.nodes, static_cast<int>(open_.size()) + extent.height);
        nodes_ += extent.nodes - 1;  // add() counts the copy's root
        add(known->second, 0);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(Kind::list, mark, tag, anchor);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(Kind::map, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Frame {
        Node node;
        YAML::anchor_t anchor = 0;
        std::optional<Node> key;  // in a map: a key whose value has not been read yet
        std::set<std::string, std::less<>> keys;
    };

    void at(const YAML::Mark& mark) { here_ = place_of(here_.file, mark); }

    [[noreturn]] void fail(const std::string& message) const { throw InputError(here_, message); }

    Node leaf(Kind kind) const {
        Node node;
        node.kind = kind;
        node.place = here_;
        return node;
    }

    void check_tag(const std::string& tag) const {
        if (!tag.empty() && tag != "?" && tag != "!") {
            fail(error_message("tags are not accepted", shown(tag), "plain values"));
        }
    }

    void check_limits(std::size_t more_nodes, int depth) const {
        if (nodes_ + more_nodes > max_nodes) {
            fail(fmt::format("too many values (accepted: at most {}, aliases expanded)", max_nodes));
        }
        if (depth > max_depth) { fail(fmt::format("nested too deeply (accepted: at most {} levels)", max_depth)); }
    }

    void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        at(mark);
        check_tag(tag);
        check_limits(1, static_cast<int>(open_.size()) + 1);
        open_.push_back({leaf(kind), anchor, {}, {}});
    }

    void close() {
        Frame frame = std::move(open_.back());
        open_.pop_back();
        here_ = frame.node.place;
        add(std::move(frame.node), frame.anchor);
    }

    void add(Node node, YAML::anchor_t anchor) {
        check_limits(1, static_cast<int>(open_.size()));
        ++nodes_;
        if (anchor != 0) { remember(anchor, node); }
        if (open_.empty()) {
            root = std::move(node);
            return;
        }
        Frame& frame = open_.back();
        if (frame.node.is_list()) {
            frame.node.children.push_back(std::move(node));
        } else if (!frame.key) {
            accept_key(frame, std::move(node));
        } else {
            accept_value(frame, std::move(node));
        }
    }

    // Copies of nested anchors count against the limit too; otherwise 64 levels of them would multiply the memory.
    void remember(YAML::anchor_t anchor, const Node& node) {
        anchored_nodes_ += extent_of(node).nodes;
        if (anchored_nodes_ > max_nodes) {
            fail(fmt::format("too many values under anchors (accepted: at most {})", max_nodes));
        }
        anchored_[anchor] = node;
    }

    void accept_key(Frame& frame, Node key) const {
        if (!key.is_scalar()) { fail(error_message("a key must be a word", key.found(), "a word")); }
        if (key.text == "<<" && !key.quoted) {
            fail("merge keys are not accepted (found '<<'; accepted: an alias of a whole value)");
        }
        if (!frame.keys.insert(key.text).second) {
            fail(error_message("duplicate key", shown(key.text), "each key once"));
        }
        frame.key = std::move(key);
    }

    static void accept_value(Frame& frame, Node value) {
        value.name = frame.key->text;
        value.key_place = frame.key->place;
        if (value.is_null()) {
            value.place = frame.key->place;  // yaml-cpp gives the position of what comes next
        }
        frame.node.children.push_back(std::move(value));
        frame.key.reset();
    }

    SourceLocation here_;  // of what is being read
    std::vector<Frame> open_;
    std::map<YAML::anchor_t, Node> anchored_;
    std::size_t nodes_ = 0;
    std::size_t anchored_nodes_ = 0;
    int documents_ = 0;
};

// yaml-cpp accepts some tabs in indentation and reports the others at a wrong position.
void refuse_tab_indentation(std::string_view text, const File& file) {
    int line = 1;
    bool indenting = true;
    int column = 0;
    for (const char c : text) {
        ++column;
        if (c == '\n') {
            ++line;
            column = 0;
            indenting = true;
        } else if (indenting && c == '\t') {
            throw InputError({file, line, column}, "a tab in the indentation (accepted: spaces)");
        } else if (c != ' ') {
            indenting = false;
        }
    }
}

// Inside [ or {, yaml-cpp queues every token up to the end of the text before it emits an event, at about 250 bytes
// each: 16 MiB of [ would take 4 GB. A text of max_nodes values needs far fewer of these characters than the limit.
void refuse_token_floods(std::string_view text, std::size_t most, const SourceLocation& place) {
    constexpr std::string_view structure = "[]{},:&*?!-\"'";
    const auto is_structure = [&](char c) { return structure.find(c) != std::string_view::npos; };
    if (static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_structure)) > most) {
        throw InputError(place, "too many values (accepted: at most " + std::to_string(most) + " of the characters " +
                                    std::string(structure) + ")");
    }
}

// yaml-cpp silently closes an open quote at the end of the text; only the last quoted scalar can be open.
void refuse_open_quote(std::string_view text, std::size_t start, const SourceLocation& place) {
    std::size_t at = text.find_first_of("'\"", start);
    if (at == std::string_view::npos) { return; }
    const char quote = text[at++];
    for (; at < text.size(); ++at) {
        if (quote == '"' && text[at] == '\\') {
            ++at;
        } else if (text[at] == quote) {
            if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) { return; }
            ++at;  // '' is an escaped quote
        }
    }
    throw InputError(place, "a text between quotes is not closed (accepted: a closing quote)");
}

// Names list items after their list, whose own name is known only once it has been put under its key.
void name_items(Node& node) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        Node& child = node.children[i];
        if (node.is_list()) { child.name = node.name + "[" + std::to_string(i) + "]"; }
        name_items(child);
    }
}

}  // namespace

Node parse(std::string_view text, const std::string& name) {
    const auto file = std::make_shared<const std::string>(name);
    if (text.size() > max_file_bytes) {
        throw InputError({file}, error_message("too large", fmt::format("{} bytes", text.size()),
                                               fmt::format("at most {}", max_file_bytes)));
    }
    if (const std::size_t at = first_non_text(text); at != std::string_view::npos) {
        throw InputError(
            {file}, fmt::format("not a text (found a byte that is no UTF-8 text at offset {}; accepted: UTF-8)", at));
    }
    refuse_tab_indentation(text, file);
    refuse_token_floods(text, 5 * max_nodes, {file});
    Builder builder(file);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {}
    } catch (const YAML::Exception& error) {
        throw InputError(place_of(file, error.mark), "not YAML (" + error.msg + ")");
    }
    if (builder.last_quoted) {
        const YAML::Mark& start = *builder.last_quoted;
        refuse_open_quote(text, static_cast<std::size_t>(start.pos), place_of(file, start));
    }
    if (!builder.root || builder.root->is_null()) {
        throw InputError({file}, "the file is empty (found nothing; accepted: a map of keys)");
    }
    name_items(*builder.root);
    return std::move(*builder.root);
}

Node read(const std::filesystem::path& path) { return parse(read_text(path, max_file_bytes), path.string()); }

}  // namespace fabricast::inline base::yaml
