#include "sim/plan/traces/trace_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "base/error.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"

namespace fabricast::inline traces {

namespace formats {
#define FABRICAST_TRACE_FORMAT(name) extern const TraceFormat name;
#include "trace_formats.inc"
#undef FABRICAST_TRACE_FORMAT
}  // namespace formats

constexpr std::size_t block_bytes = 65536;
constexpr std::size_t longest_line = std::size_t{1} << 20U;

constexpr const TraceFormat* all_formats[] = {
#define FABRICAST_TRACE_FORMAT(name) &formats::name,
#include "trace_formats.inc"
#undef FABRICAST_TRACE_FORMAT
};

TraceFormats trace_formats() { return all_formats; }

const TraceFormat* format_named(std::string_view name, TraceFormats formats) {
    const auto found = std::ranges::find(formats, name, &TraceFormat::name);
    return found == formats.end() ? nullptr : *found;
}

std::optional<std::uint32_t> rank_in_name(const std::filesystem::path& file) {
    // The number after the first "rank" if there is one, else the last number between dots, dashes or underscores.
    static const Pattern behind_rank("^rank[-_.]?([0-9]+)", Pattern::Case::counts);
    static const Pattern separated(R"(^(?:\C*[-_.])?([0-9]+)(?:[-_.]\C*)?$)", Pattern::Case::counts);
    const std::string name = file.filename().string();
    const std::size_t word = std::min(name.find("rank"), name.size());
    std::optional<Pattern::Groups> found = behind_rank.first_in(std::string_view(name).substr(word));
    found = found ? found : separated.first_in(name);
    const auto rank = found ? number_in<std::uint32_t>(*found->at(1)) : std::nullopt;
    return rank && *rank < 1'000'000'000 ? rank : std::nullopt;
}

std::uint32_t rank_of_file(const Recording& recording, const InputFile& file) {
    const std::optional<std::uint32_t> named = rank_in_name(file.path());
    const bool free = named && std::ranges::count(recording.ranks, *named, &RankRecording::rank) == 0;
    return free ? *named : static_cast<std::uint32_t>(recording.ranks.size());
}

void for_each_line(InputFile& file, const ReadProgress& progress,
                   const std::function<void(std::string_view, int)>& take) {
    std::string block(block_bytes, '\0');
    std::string rest;
    int number = 0;
    for (std::size_t got = file.read(block.data(), block.size()); got > 0;
         got = file.read(block.data(), block.size())) {
        std::string_view left(block.data(), got);
        for (std::size_t end = left.find('\n'); end != std::string_view::npos; end = left.find('\n')) {
            rest.append(left.substr(0, end));
            take(rest, ++number);
            rest.clear();
            left.remove_prefix(end + 1);
        }
        rest.append(left);
        if (rest.size() > longest_line) {
            throw InputError({std::make_shared<const std::string>(file.path().string()), number + 1},
                             fmt::format("a line of more than {} bytes", longest_line));
        }
        if (progress) { progress(file.share()); }
    }
    if (!rest.empty()) { take(rest, ++number); }
}

TopologicalOrder topological_order(const std::vector<std::vector<std::uint32_t>>& after) {
    std::vector<std::size_t> waiting(after.size());
    std::vector<std::vector<std::uint32_t>> then(after.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < after.size(); ++i) {
        waiting[i] = after[i].size();
        for (const std::uint32_t earlier : after[i]) { then[earlier].push_back(i); }
        if (waiting[i] == 0) { ready.push(i); }
    }
    TopologicalOrder order;
    while (!ready.empty()) {
        order.sorted.push_back(ready.top());
        ready.pop();
        for (const std::uint32_t next : then[order.sorted.back()]) {
            if (--waiting[next] == 0) { ready.push(next); }
        }
    }
    if (order.sorted.size() < after.size()) {
        const auto stuck = std::ranges::find_if(waiting, [](std::size_t w) { return w > 0; });
        order.in_circle = static_cast<std::uint32_t>(stuck - waiting.begin());
    }
    return order;
}

std::optional<std::uint32_t> add_sorted(RankRecording& rank, const std::vector<Record>& records,
                                        const std::vector<std::vector<std::uint32_t>>& after) {
    const TopologicalOrder order = topological_order(after);
    if (order.in_circle) { return order.in_circle; }
    std::vector<std::uint32_t> place(records.size());
    std::vector<std::uint32_t> waits;
    for (const std::uint32_t i : order.sorted) {
        waits.clear();
        for (const std::uint32_t earlier : after[i]) { waits.push_back(place[earlier]); }
        place[i] = rank.add(records[i], waits);
    }
    return std::nullopt;
}

}  // namespace fabricast::inline traces
