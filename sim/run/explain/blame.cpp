#include "sim/run/explain/blame.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/enum_name.hpp"

namespace fabricast::inline explain {

std::string_view to_string(BlameKind kind) {
    static constexpr std::array<std::string_view, 6> words = {"compute",  "bandwidth", "latency",
                                                              "protocol", "launch",    "wait"};
    return enum_name(words, kind);
}

namespace {

// The hop without its numbers, so that equivalent hops of different nodes compare equal: "node3.gpu0 -> node3.nvswitch
// (x18)" becomes "node.gpu -> node.nvswitch (x)".
std::string without_numbers(std::string_view hop) {
    std::string kind(hop);
    std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
    return kind;
}

}  // namespace

bool alike(const Blame& a, const Blame& b) {
    return a.kind == b.kind && a.what == b.what && a.part == b.part && without_numbers(a.hop) == without_numbers(b.hop);
}

void BlameSheet::add(BlameKind kind, std::string_view what, std::string_view hop, double seconds,
                     std::string_view part) {
    if (!(seconds > 0)) { return; }
    Blame entry{kind, std::string(what), std::string(part), std::string(hop), seconds};
    const auto same = std::ranges::find_if(entries_, [&](const Blame& other) { return alike(other, entry); });
    if (same != entries_.end()) {
        same->seconds += seconds;
    } else {
        entries_.push_back(std::move(entry));
    }
}

void BlameSheet::add(const BlameSheet& other, std::string_view part, double factor) {
    for (const Blame& entry : other.entries_) { add(entry.kind, entry.what, entry.hop, entry.seconds * factor, part); }
}

double BlameSheet::total() const {
    double sum = 0;
    for (const Blame& entry : entries_) { sum += entry.seconds; }
    return sum;
}

std::map<BlameKind, double> by_kind(const std::vector<Blame>& blames) {
    std::map<BlameKind, double> kinds;
    for (const Blame& blame : blames) { kinds[blame.kind] += blame.seconds; }
    return kinds;
}

std::vector<Blame> BlameSheet::sorted() const {
    std::vector<Blame> list = entries_;
    std::ranges::sort(list, [](const Blame& a, const Blame& b) {
        return std::tie(b.seconds, a.kind, a.part, a.what, a.hop) < std::tie(a.seconds, b.kind, b.part, b.what, b.hop);
    });
    return list;
}

}  // namespace fabricast::inline explain
