#include "base/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.hpp"
#include "base/text_lines.hpp"

namespace fabricast::inline base {

namespace {

// Names of one list, and their characters: a few bytes may stand for any number of names of any length.
constexpr std::size_t most_names = 200'000, most_characters = std::size_t{16} << 20U;
constexpr int most_brackets = 16;  // in one name; each multiplies, and is a call within the last

class Expansion {
public:
    Expansion(std::string_view list, const SourceLocation& place) : list_(list), place_(place) {}

    std::vector<std::string> names() && {
        for (std::size_t begin = 0; begin < list_.size();) {
            std::size_t end = begin;
            for (bool inside = false; end < list_.size() && (inside || list_[end] != ','); ++end) {
                inside = list_[end] == '[' || (inside && list_[end] != ']');
            }
            const std::string_view entry = trimmed(list_.substr(begin, end - begin), " \t");
            if (std::ranges::count(entry, '[') > most_brackets) {
                refuse(place_, "too many ranges in one name", shown(entry), fmt::format("at most {}", most_brackets));
            }
            if (!entry.empty()) { add("", entry); }
            begin = end + 1;
        }
        return std::move(names_);
    }

private:
    // All names of one entry, which may have several pairs of brackets, each behind `before`.
    void add(const std::string& before, std::string_view entry) {
        const std::size_t open = entry.find('[');
        if (open == std::string_view::npos) {
            characters_ += before.size() + entry.size();
            if (names_.size() == most_names || characters_ > most_characters) { refuse_ranges(entry); }
            names_.push_back(before + std::string(trimmed(entry, " \t")));
            return;
        }
        const std::size_t close = entry.find(']', open);
        if (close == std::string_view::npos) { refuse(place_, "a list of names without its end", shown(list_), "']'"); }
        const std::string start = before + std::string(trimmed(entry.substr(0, open), " \t"));
        for (const std::string_view piece : split(entry.substr(open + 1, close - open - 1), ',')) {
            const std::string_view range = trimmed(piece, " \t");
            const std::size_t dash = range.find('-');
            const std::string_view first = range.substr(0, dash);
            const auto low = number_in<std::uint32_t>(first);
            const auto high = number_in<std::uint32_t>(dash == std::string_view::npos ? first : range.substr(dash + 1));
            if (!low || !high || *high < *low) { refuse_ranges(range); }
            for (std::uint64_t i = *low; i <= *high; ++i) {
                const std::string digits = std::to_string(i);
                const std::size_t zeros = first.size() > digits.size() ? first.size() - digits.size() : 0;
                add(start + std::string(zeros, '0') + digits, entry.substr(close + 1));
            }
        }
    }

    [[noreturn]] void refuse_ranges(std::string_view found) const {
        refuse(place_, "a range of names that is none", shown(found), "[1-32] or [1,4-8]");
    }

    std::string_view list_;
    const SourceLocation& place_;
    std::vector<std::string> names_;
    std::size_t characters_ = 0;
};

// The last number in a name, with what stands around it.
struct Numbered {
    std::string_view before, digits, after;

    explicit Numbered(std::string_view name) : before(name) {
        constexpr std::string_view figures = "0123456789";
        const std::size_t last = name.find_last_of(figures);
        if (last == std::string_view::npos) { return; }
        const std::size_t first = std::min(name.find_last_not_of(figures, last) + 1, last);
        if (last + 1 - first > 9) { return; }  // longer than a number of 32 bits: part of the name
        before = name.substr(0, first);
        digits = name.substr(first, last + 1 - first);
        after = name.substr(last + 1);
    }
    std::uint32_t value() const { return number_in<std::uint32_t>(digits).value_or(0); }
    // Whether `next` would stand in the same brackets.
    bool beside(const Numbered& next) const {
        return !digits.empty() && !next.digits.empty() && before == next.before && after == next.after;
    }
    bool before_one(const Numbered& next) const {
        return beside(next) && value() + 1 == next.value() &&
               (digits.size() == next.digits.size() || (digits[0] != '0' && next.digits[0] != '0'));
    }
};

}  // namespace

std::vector<std::string> hostlist(std::string_view text, const SourceLocation& place) {
    return Expansion(text, place).names();
}

std::vector<std::string> Hostlists::names(std::string_view text, const SourceLocation& place) {
    std::vector<std::string> names = hostlist(text, place);
    listed_ += names.size();
    if (listed_ > most_names) {
        refuse(place, "too many names in one file", fmt::to_string(listed_), fmt::format("at most {}", most_names));
    }
    return names;
}

std::string hostlist_text(const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < names.size();) {
        const Numbered first(names[i]);
        std::string ranges;
        std::size_t used = i;
        while (used < names.size() && (used == i || first.beside(Numbered(names[used])))) {
            std::size_t last = used;
            while (last + 1 < names.size() && Numbered(names[last]).before_one(Numbered(names[last + 1]))) { ++last; }
            ranges += ranges.empty() ? "" : ",";
            ranges += Numbered(names[used]).digits;
            if (last > used) { ranges.append("-").append(Numbered(names[last]).digits); }
            used = last + 1;
        }
        list += list.empty() ? "" : ",";
        list += used == i + 1 ? names[i] : std::string(first.before) + "[" + ranges + "]" + std::string(first.after);
        i = used;
    }
    return list;
}

}  // namespace fabricast::inline base
