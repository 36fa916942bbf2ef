#include "base/pattern.hpp"

#include <re2/re2.h>

#include <stdexcept>

namespace fabricast::inline base {

namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// The first match that begins at or after `from`.
std::optional<Pattern::Groups> match(const re2::RE2& expression, std::string_view text, std::size_t from) {
    std::vector<re2::StringPiece> found(static_cast<std::size_t>(expression.NumberOfCapturingGroups()) + 1);
    if (!expression.Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, found.data(),
                          static_cast<int>(found.size()))) {
        return std::nullopt;
    }
    Pattern::Groups groups;
    for (const re2::StringPiece& group : found) {
        groups.push_back(group.data() != nullptr ? std::optional(std::string_view(group.data(), group.size()))
                                                 : std::nullopt);
    }
    return groups;
}

}  // namespace

Pattern::Pattern(std::string_view expression, Case letters) {
    re2::RE2::Options options;
    options.set_case_sensitive(letters == Case::counts);
    options.set_log_errors(false);
    auto compiled = std::make_shared<const re2::RE2>(piece(expression), options);
    if (!compiled->ok()) { throw std::invalid_argument(compiled->error()); }
    expression_ = std::move(compiled);
}

bool Pattern::found_in(std::string_view text) const { return re2::RE2::PartialMatch(piece(text), *expression_); }

std::optional<Pattern::Groups> Pattern::first_in(std::string_view text) const { return match(*expression_, text, 0); }

std::vector<Pattern::Groups> Pattern::all_in(std::string_view text) const {
    std::vector<Groups> all;
    std::size_t from = 0;
    while (from <= text.size()) {
        std::optional<Groups> found = match(*expression_, text, from);
        if (!found) { break; }
        const std::string_view whole = *found->front();
        const auto end = static_cast<std::size_t>(whole.data() - text.data()) + whole.size();
        from = whole.empty() ? end + 1 : end;
        all.push_back(std::move(*found));
    }
    return all;
}

}  // namespace fabricast::inline base
