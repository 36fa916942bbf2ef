#include "base/text_lines.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/text_file.hpp"

namespace fabricast::inline base {

namespace {

constexpr std::string_view blanks = " \t";

// Windows' editors put a byte order mark before UTF-8. It is no part of the first line, which would else not be known.
std::string without_byte_order_mark(std::string text) {
    if (text.starts_with("\xEF\xBB\xBF")) { text.erase(0, 3); }
    return text;
}

}  // namespace

std::vector<TextWord> TextLine::words() const {
    std::vector<TextWord> found;
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;
         at = text.find_first_not_of(blanks, at)) {
        const std::size_t stop = std::min(text.find_first_of(blanks, at), text.size());
        found.push_back({text.substr(at, stop - at), column + static_cast<int>(at)});
        at = stop;
    }
    return found;
}

bool TextLine::begins_with_count() const {
    const std::string_view rest = trimmed(text, blanks);
    return is_count(rest.substr(0, rest.find_first_of(blanks)));
}

std::optional<std::string_view> TextLine::value_of(std::string_view key) const {
    const std::size_t found = text.find(key);
    if (found == std::string_view::npos) { return std::nullopt; }
    std::string_view rest = text.substr(found + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (!rest.starts_with(":")) { return std::nullopt; }
    rest = trimmed(rest.substr(1), blanks);
    return trimmed(rest.substr(0, std::min(rest.find("  "), rest.find('\t'))), blanks);
}

TextLines::TextLines(std::string text, const std::string& file)
    : text_(without_byte_order_mark(std::move(text))), file_(std::make_shared<const std::string>(file)) {
    const std::size_t bad = first_non_text(text_);
    std::string_view rest = text_;
    for (int number = 1; !rest.empty(); ++number) {
        const std::size_t stop = rest.find('\n');
        const std::string_view line = rest.substr(0, stop);
        const auto offset = static_cast<std::size_t>(line.data() - text_.data());
        if (bad != std::string::npos && bad <= offset + line.size()) {
            throw InputError({file_, number, static_cast<int>(bad - offset) + 1}, "not a text file");
        }
        lines_.push_back({line, number, 1, stop != std::string_view::npos});
        rest.remove_prefix(stop == std::string_view::npos ? rest.size() : stop + 1);
    }
}

SourceLocation TextLines::end() const {
    if (lines_.empty()) { return start(); }
    const TextLine& last = lines_.back();
    return last.ended ? at(last.number + 1)
                      : SourceLocation{file_, last.number, last.column + static_cast<int>(last.text.size())};
}

bool is_count(std::string_view text) {
    return !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_figure(std::string_view text) { return figure_in_word(text).value_or(-1) >= 0; }

void refuse(const SourceLocation& place, std::string_view what, std::string_view found, std::string_view accepted,
            std::string_view nearest) {
    throw InputError(place, error_message(what, found, accepted, nearest));
}

}  // namespace fabricast::inline base
