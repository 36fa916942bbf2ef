#include "base/yaml.hpp"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/text_file.hpp"
#include "base/yaml_checks.hpp"

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
    explicit Builder(File file) : file_(std::move(file)) {}

    std::optional<Node>& root() { return root_; }
    // Start of the last quoted scalar, if there was one.
    const std::optional<YAML::Mark>& last_quoted() const { return last_quoted_; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) { fail(mark, "several documents in one file (accepted: one)"); }
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(leaf(Kind::null, mark), anchor, mark); }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check_tag(mark, tag);
        Node node = leaf(Kind::scalar, mark);
        node.quoted = tag == "!";
        node.text = value;
        if (node.quoted) { last_quoted_ = mark; }
        add(std::move(node), anchor, mark);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto known = anchored_.find(anchor);
        if (known == anchored_.end()) {
            fail(mark, "an alias refers to a value that contains it (accepted: aliases of finished values)");
        }
        const Extent extent = extent_of(known->second);
        check_limits(mark, extent.nodes, static_cast<int>(open_.size()) + extent.height);
        Node copy = known->second;
        nodes_ += extent.nodes - 1;  // add() counts the copy's root
        add(std::move(copy), 0, mark);
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

    [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
        throw InputError(place_of(file_, mark), message);
    }

    Node leaf(Kind kind, const YAML::Mark& mark) const {
        Node node;
        node.kind = kind;
        node.place = place_of(file_, mark);
        return node;
    }

    void check_tag(const YAML::Mark& mark, const std::string& tag) const {
        if (!tag.empty() && tag != "?" && tag != "!") {
            fail(mark, error_message("tags are not accepted", shown(tag), "plain values"));
        }
    }

    void check_limits(const YAML::Mark& mark, std::size_t more_nodes, int depth) const {
        if (nodes_ + more_nodes > max_nodes) {
            fail(mark, "too many values (accepted: at most " + std::to_string(max_nodes) + ", aliases expanded)");
        }
        if (depth > max_depth) {
            fail(mark, "nested too deeply (accepted: at most " + std::to_string(max_depth) + " levels)");
        }
    }

    void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        check_tag(mark, tag);
        check_limits(mark, 1, static_cast<int>(open_.size()) + 1);
        open_.push_back({leaf(kind, mark), anchor, {}, {}});
    }

    void close() {
        Frame frame = std::move(open_.back());
        open_.pop_back();
        const YAML::Mark here = mark_of(frame.node.place);
        add(std::move(frame.node), frame.anchor, here);
    }

    static YAML::Mark mark_of(const SourceLocation& place) {
        YAML::Mark mark;
        mark.line = place.line - 1;
        mark.column = place.column - 1;
        return mark;
    }

    void add(Node node, YAML::anchor_t anchor, const YAML::Mark& mark) {
        check_limits(mark, 1, static_cast<int>(open_.size()));
        ++nodes_;
        if (anchor != 0) { remember(anchor, node, mark); }
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Frame& frame = open_.back();
        if (frame.node.is_list()) {
            frame.node.children.push_back(std::move(node));
        } else if (!frame.key) {
            accept_key(frame, std::move(node), mark);
        } else {
            accept_value(frame, std::move(node));
        }
    }

    // Copies of nested anchors count against the limit too; otherwise 64 levels of them would multiply the memory.
    void remember(YAML::anchor_t anchor, const Node& node, const YAML::Mark& mark) {
        anchored_nodes_ += extent_of(node).nodes;
        if (anchored_nodes_ > max_nodes) {
            fail(mark, "too many values under anchors (accepted: at most " + std::to_string(max_nodes) + ")");
        }
        anchored_[anchor] = node;
    }

    void accept_key(Frame& frame, Node key, const YAML::Mark& mark) const {
        if (!key.is_scalar()) { fail(mark, error_message("a key must be a word", key.found(), "a word")); }
        if (key.text == "<<" && !key.quoted) {
            fail(mark, "merge keys are not accepted (found '<<'; accepted: an alias of a whole value)");
        }
        if (!frame.keys.insert(key.text).second) {
            fail(mark, error_message("duplicate key", shown(key.text), "each key once"));
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

    File file_;
    std::vector<Frame> open_;
    std::map<YAML::anchor_t, Node> anchored_;
    std::size_t nodes_ = 0;
    std::size_t anchored_nodes_ = 0;
    int documents_ = 0;
    std::optional<Node> root_;
    std::optional<YAML::Mark> last_quoted_;
};

// Names list items after their list, whose own name is known only once it has been put under its key.
void name_items(Node& node) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        Node& child = node.children[i];
        if (node.is_list()) { child.name = node.name + "[" + std::to_string(i) + "]"; }
        name_items(child);
    }
}

Node parse_shared(std::string_view text, const File& file) {
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
    if (builder.last_quoted()) {
        const YAML::Mark& start = *builder.last_quoted();
        refuse_open_quote(text, static_cast<std::size_t>(start.pos), place_of(file, start));
    }
    if (!builder.root() || builder.root()->is_null()) {
        throw InputError({file}, "the file is empty (found nothing; accepted: a map of keys)");
    }
    name_items(*builder.root());
    return std::move(*builder.root());
}

}  // namespace

Node parse(std::string_view text, const std::string& file) {
    return parse_shared(text, std::make_shared<const std::string>(file));
}

Node read(const std::filesystem::path& path) { return parse(read_text(path, max_file_bytes), path.string()); }

}  // namespace fabricast::inline base::yaml
