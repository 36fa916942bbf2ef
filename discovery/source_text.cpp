#include "discovery/source_text.hpp"

#include "base/gzip.hpp"
#include "base/text_file.hpp"

namespace fabricast::inline discovery {

namespace {

constexpr std::string_view blanks = " \t";
// A fabric of 16,384 nodes with eight adapters each is about 100 MB of ibnetdiscover.
constexpr std::size_t longest_source = std::size_t{1} << 30U;

// PowerShell's `>` writes UTF-16; its byte order mark says which. Only what is also ASCII is of use to a reader, and
// anything else becomes a question mark.
std::string from_utf16(std::string_view text, bool little) {
    std::string out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
        const char low = text[i + (little ? 0 : 1)];
        const bool ascii = text[i + (little ? 1 : 0)] == 0 && static_cast<unsigned char>(low) < 0x80;
        out += ascii ? low : '?';
    }
    return out;
}

// Removes what is not part of the text: UTF-16's marks, carriage returns before a line break, and colour codes (ESC [
// ... m).
std::string cleaned(std::string text) {
    if (text.starts_with("\xFF\xFE")) { text = from_utf16(text, true); }
    if (text.starts_with("\xFE\xFF")) { text = from_utf16(text, false); }
    if (text.find_first_of("\r\x1B") == std::string::npos) { return text; }
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r') {
            if (i + 1 == text.size() || text[i + 1] != '\n') { out += '\n'; }
        } else if (text[i] == '\x1B' && i + 1 < text.size() && text[i + 1] == '[') {
            const std::size_t stop = text.find_first_not_of("0123456789;", i + 2);
            i = stop == std::string::npos ? text.size() : stop;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace

SourceText::SourceText(std::string text, const std::string& file) : TextLines(cleaned(std::move(text)), file) {
    for (TextLine& line : lines_) { line.text = line.text.substr(0, line.text.find_last_not_of(blanks) + 1); }
}

bool SourceText::begins_with(char c) const {
    const std::size_t first = text().find_first_not_of(" \t\n");
    return first != std::string::npos && text()[first] == c;
}

bool SourceText::is_xml(std::string_view root) const {
    if (!begins_with('<')) { return false; }
    for (std::size_t at = text().find('<'); at != std::string::npos; at = text().find('<', at + 1)) {
        const std::string_view rest = std::string_view(text()).substr(at + 1);
        if (rest.starts_with("!--")) {
            at = text().find("-->", at);
            if (at == std::string::npos) { return false; }
        } else if (!rest.starts_with("?") && !rest.starts_with("!")) {
            const bool named = rest.starts_with(root);
            return named && (rest.size() == root.size() ||
                             std::string_view(" \t\n>/").find(rest[root.size()]) != std::string_view::npos);
        }
    }
    return false;
}

std::vector<std::string> csv_cells(std::string_view line, std::string_view separators) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        quoted = quoted != (c == '"');
        if (!quoted && separators.find(c) != std::string_view::npos) {
            cells.emplace_back();
        } else if (c != '"') {
            cells.back() += c;
        }
    }
    for (std::string& cell : cells) { cell = std::string(trimmed(cell, blanks)); }
    return cells;
}

std::unique_ptr<const SourceText> read_source(const std::filesystem::path& path) {
    InputFile file(path);
    std::string text = read_rest(file, longest_source);
    if (file.next_member()) { refuse_file(path, "an archive of several files (accepted: one file at a time)"); }
    return std::make_unique<const SourceText>(std::move(text), path.string());
}

}  // namespace fabricast::inline discovery
