#include "nccl/collectives.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace probe {
namespace {

constexpr Collective all[] = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                              Collective::broadcast,  Collective::reduce,     Collective::all_to_all,
                              Collective::sendrecv,   Collective::gather,     Collective::scatter};

}  // namespace

const char* word(Collective collective) {
    switch (collective) {
        case Collective::all_reduce: return "all_reduce";
        case Collective::all_gather: return "all_gather";
        case Collective::reduce_scatter: return "reduce_scatter";
        case Collective::broadcast: return "broadcast";
        case Collective::reduce: return "reduce";
        case Collective::all_to_all: return "all_to_all";
        case Collective::sendrecv: return "sendrecv";
        case Collective::gather: return "gather";
        case Collective::scatter: return "scatter";
    }
    return "";
}

std::vector<std::string> collective_words() {
    std::vector<std::string> words;
    for (const Collective one : all) { words.emplace_back(word(one)); }
    return words;
}

Collective collective_of(const std::string& text) {
    const auto found = std::find_if(std::begin(all), std::end(all), [&](Collective one) { return text == word(one); });
    if (found == std::end(all)) { throw std::invalid_argument("no collective: '" + text + "'"); }
    return *found;
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
