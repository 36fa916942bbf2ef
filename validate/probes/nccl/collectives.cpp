#include "nccl/collectives.hpp"

#include <algorithm>
#include <stdexcept>

namespace probe {

std::vector<std::string> collective_words() {
    const auto words = words_of(Collective());
    return {words.begin(), words.end()};
}

Collective collective_of(const std::string& text) {
    if (const std::optional<Collective> collective = value_of<Collective>(text)) { return *collective; }
    throw std::invalid_argument("no collective: '" + text + "'");
}

Counts counts_of(Collective collective, std::uint64_t bytes, std::size_t element_bytes, int ranks) {
    const std::size_t whole = bytes / element_bytes;
    const std::size_t alignment = std::max<std::size_t>(16 / element_bytes, 1);
    const std::size_t part = whole / static_cast<std::size_t>(ranks) / alignment * alignment;
    const std::size_t parts = part * static_cast<std::size_t>(ranks);
    switch (collective) {
        case Collective::all_gather:
        case Collective::gather: return {part, part, parts};
        case Collective::reduce_scatter:
        case Collective::scatter: return {part, parts, part};
        case Collective::all_to_all: return {part, parts, parts};
        default: return {whole, whole, whole};
    }
}

double bus_factor(Collective collective, int ranks) {
    const double n = ranks;
    switch (collective) {
        case Collective::all_reduce: return 2 * (n - 1) / n;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all:
        case Collective::gather:
        case Collective::scatter: return (n - 1) / n;
        default: return 1;
    }
}

bool has_in_place(Collective collective) {
    switch (collective) {
        case Collective::all_reduce:
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::broadcast:
        case Collective::reduce: return true;
        default: return false;
    }
}

}  // namespace probe
