#include "validate/score/page.hpp"

#include <span>
#include <stdexcept>

#include "base/embedded_file.hpp"

namespace fabricast::inline score {

std::span<const EmbeddedFile> embedded_pages();

std::string filled_page(std::string_view page, const PageTexts& texts) {
    const std::string name = "validate/pages/" + std::string(page);
    std::string text(embedded_file(embedded_pages(), name).text);
    for (const auto& [key, filling] : texts) {
        const std::string mark = "{" + std::string(key) + "}";
        std::size_t at = text.find(mark);
        if (at == std::string::npos) { throw std::logic_error(name + " has no " + mark); }
        for (; at != std::string::npos; at = text.find(mark, at + filling.size())) {
            const std::size_t end = at + mark.size();
            const bool alone = (at == 0 || text[at - 1] == '\n') && end < text.size() && text[end] == '\n';
            text.replace(at, mark.size() + (alone ? 1 : 0), filling);
        }
    }
    return text;
}

}  // namespace fabricast::inline score
