#pragma once
// The pages that commands write. Their prose is in validate/pages/*.md, with a name in braces where text is filled in.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast::inline score {

// "probes.md" with each {name} replaced. A name alone on its line is replaced with its line break, so its text ends in
// one or is empty. Throws std::logic_error if there is no such page, or it has no such name.
using PageTexts = std::initializer_list<std::pair<std::string_view, std::string>>;
std::string filled_page(std::string_view page, const PageTexts& texts);

}  // namespace fabricast::inline score
