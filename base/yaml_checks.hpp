#pragma once
// What yaml-cpp does not refuse, or refuses at a wrong place. Each throws InputError.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/input_error.hpp"

namespace fabricast::inline base::yaml {

// yaml-cpp accepts some tabs in indentation and reports the others at a wrong position.
void refuse_tab_indentation(std::string_view text, const std::shared_ptr<const std::string>& file);

// Inside [ or {, yaml-cpp queues every token up to the end of the text before it emits an event, at about 250 bytes
// each: 16 MiB of [ would take 4 GB. A text of max_nodes values needs far fewer of these characters than the limit.
void refuse_token_floods(std::string_view text, std::size_t most, const SourceLocation& place);

// yaml-cpp silently closes an open quote at the end of the text; only the last quoted scalar can be open.
void refuse_open_quote(std::string_view text, std::size_t start, const SourceLocation& place);

}  // namespace fabricast::inline base::yaml
