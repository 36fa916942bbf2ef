#include "base/xml.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <pugixml.hpp>

#include "base/text.hpp"

namespace fabricast::inline base::xml {

namespace {

// Converts byte offsets to lines and columns by binary search.
class Lines {
public:
    Lines(std::string_view text, const std::string& file) : file_(std::make_shared<const std::string>(file)) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '\n') { starts_.push_back(at + 1); }
        }
    }

    SourceLocation at(std::ptrdiff_t offset) const {
        const auto byte = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
        const auto next = std::upper_bound(starts_.begin(), starts_.end(), byte);
        return {file_, static_cast<int>(next - starts_.begin()), static_cast<int>(byte - *(next - 1)) + 1};
    }

private:
    std::shared_ptr<const std::string> file_;
    std::vector<std::size_t> starts_ = {0};
};

struct Reader {
    const Lines& lines;
    std::size_t elements = 0;

    Element read(const pugi::xml_node& from, int depth) {
        Element element;
        element.name = from.name();
        element.text = from.child_value();
        element.place = lines.at(from.offset_debug());
        if (depth > max_depth) { element.fail("nested deeper than " + std::to_string(max_depth) + " levels"); }
        if (++elements > max_elements) { element.fail("more than " + std::to_string(max_elements) + " elements"); }
        for (const pugi::xml_attribute& attribute : from.attributes()) {
            element.attributes.emplace_back(attribute.name(), attribute.value());
        }
        for (const pugi::xml_node& child : from.children()) {
            if (child.type() == pugi::node_element) { element.children.push_back(read(child, depth + 1)); }
        }
        return element;
    }
};

}  // namespace

const std::string* Element::get(std::string_view attribute) const {
    const auto found = std::ranges::find(attributes, attribute, &std::pair<std::string, std::string>::first);
    return found == attributes.end() ? nullptr : &found->second;
}

std::string Element::word(std::string_view attribute) const {
    const std::string* value = get(attribute);
    return value == nullptr ? std::string() : *value;
}

const std::string& Element::required(std::string_view attribute) const {
    const std::string* value = get(attribute);
    if (value == nullptr) { fail("<" + name + "> lacks its attribute '" + std::string(attribute) + "'"); }
    return *value;
}

std::int64_t Element::whole(std::string_view attribute, std::int64_t low, std::int64_t high) const {
    const std::string& text = required(attribute);
    const std::optional<std::int64_t> value = count_in_word(text);
    if (!value || *value < low || *value > high) {
        fail(error_message(fmt::format("'{}' of <{}> is not a whole number in range", attribute, name), shown(text),
                           fmt::format("{} to {}", low, high)));
    }
    return *value;
}

std::int64_t Element::whole_or(std::string_view attribute, std::int64_t fallback, std::int64_t low,
                               std::int64_t high) const {
    const std::string* text = get(attribute);
    return text == nullptr || text->empty() ? fallback : whole(attribute, low, high);
}

void Element::fail(const std::string& message) const { throw InputError(place, message); }

Element parse(std::string_view text, const std::string& file) {
    const Lines lines(text, file);
    pugi::xml_document document;
    const pugi::xml_parse_result result =
        document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) { throw InputError(lines.at(result.offset), std::string("not XML: ") + result.description()); }
    return Reader{lines}.read(document.document_element(), 1);
}

}  // namespace fabricast::inline base::xml
