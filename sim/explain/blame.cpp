#include "sim/explain/blame.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace fabricast {

std::string_view word(BlameKind kind) {
    static constexpr std::array<std::string_view, 6> words = {"compute",  "bandwidth", "latency",
                                                              "protocol", "launch",    "wait"};
    return words.at(static_cast<std::size_t>(kind));
}

namespace {

// Like hops of different nodes are one: "node3.gpu0 -> node3.nvswitch (x18)" without its numbers.
std::string without_numbers(std::string_view hop) {
    std::string kind;
    for (const char c : hop) {
        if (c < '0' || c > '9') {
            kind += c;
        }
    }
    return kind;
}

}  // namespace

bool alike(const Blame& a, const Blame& b) {
    return a.kind == b.kind && a.what == b.what && a.part == b.part && without_numbers(a.hop) == without_numbers(b.hop);
}

void BlameSheet::add(BlameKind kind, std::string_view what, std::string_view part, std::string_view hop,
                     double seconds) {
    if (!(seconds > 0)) {
        return;
    }
    const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Blame& b) {
        return b.kind == kind && b.what == what && b.part == part && without_numbers(b.hop) == without_numbers(hop);
    });
    if (same != entries_.end()) {
        same->seconds += seconds;
    } else {
        entries_.push_back({kind, std::string(what), std::string(part), std::string(hop), seconds});
    }
}

void BlameSheet::add(const BlameSheet& other, std::string_view part, double factor) {
    for (const Blame& entry : other.entries_) {
        add(entry.kind, entry.what, part, entry.hop, entry.seconds * factor);
    }
}

double BlameSheet::total() const {
    double sum = 0;
    for (const Blame& entry : entries_) {
        sum += entry.seconds;
    }
    return sum;
}

std::vector<Blame> BlameSheet::sorted() const {
    std::vector<Blame> list = entries_;
    std::sort(list.begin(), list.end(), [](const Blame& a, const Blame& b) {
        return a.seconds != b.seconds
                   ? a.seconds > b.seconds
                   : std::tie(a.kind, a.part, a.what, a.hop) < std::tie(b.kind, b.part, b.what, b.hop);
    });
    return list;
}

}  // namespace fabricast
