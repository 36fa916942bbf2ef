#include "sim/plan/traces/trace_format.hpp"

#include <algorithm>
#include <queue>

#include "base/input_error.hpp"

namespace fabricast {

namespace formats {
#define FABRICAST_TRACE_FORMAT(name) extern const TraceFormat name;
#include "trace_formats.inc"
#undef FABRICAST_TRACE_FORMAT
}  // namespace formats

namespace {

constexpr std::size_t block_bytes = 65536;
constexpr std::size_t longest_line = std::size_t{1} << 20U;

constexpr const TraceFormat* all_formats[] = {
#define FABRICAST_TRACE_FORMAT(name) &formats::name,
#include "trace_formats.inc"
#undef FABRICAST_TRACE_FORMAT
};

}  // namespace

TraceFormats trace_formats() { return all_formats; }

const TraceFormat* format_named(std::string_view name, TraceFormats formats) {
    const auto found = std::ranges::find(formats, name, &TraceFormat::name);
    return found == formats.end() ? nullptr : *found;
}

std::optional<std::uint32_t> rank_in_name(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    // The number after "rank" if there is one, else the last number between dots, dashes or underscores.
    std::size_t from = name.find("rank");
    if (from != std::string::npos) {
        from += 4;
        from += from < name.size() && (name[from] == '-' || name[from] == '_' || name[from] == '.') ? 1 : 0;
        from = from < name.size() && digit(name[from]) ? from : std::string::npos;
    }
    for (std::size_t at = name.size(); from == std::string::npos && at-- > 0;) {
        const bool starts =
            digit(name[at]) && (at == 0 || std::string_view(".-_").find(name[at - 1]) != std::string_view::npos);
        const std::size_t end = starts ? name.find_first_not_of("0123456789", at) : 0;
        if (starts && (end == std::string::npos || std::string_view(".-_").find(name[end]) != std::string_view::npos)) {
            from = at;
        }
    }
    if (from == std::string::npos) {
        return std::nullopt;
    }
    std::uint64_t rank = 0;
    for (std::size_t at = from; at < name.size() && digit(name[at]) && rank < 1'000'000'000; ++at) {
        rank = rank * 10 + static_cast<std::uint64_t>(name[at] - '0');
    }
    return rank < 1'000'000'000 ? std::optional(static_cast<std::uint32_t>(rank)) : std::nullopt;
}

std::uint32_t group_number(Recording& recording, const CommGroup& group) {
    for (std::size_t g = 0; g < recording.groups.size(); ++g) {
        const CommGroup& known = recording.groups[g];
        if (known.name == group.name && known.ranks == group.ranks && known.size == group.size) {
            return static_cast<std::uint32_t>(g);
        }
    }
    recording.groups.push_back(group);
    return static_cast<std::uint32_t>(recording.groups.size() - 1);
}

std::uint32_t rank_of_file(const Recording& recording, const InputFile& file) {
    const std::optional<std::uint32_t> named = rank_in_name(file.path());
    const bool taken = named && std::any_of(recording.ranks.begin(), recording.ranks.end(),
                                            [&](const RankRecording& r) { return r.rank == *named; });
    return named && !taken ? *named : static_cast<std::uint32_t>(recording.ranks.size());
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
                             "a line of more than " + std::to_string(longest_line) + " bytes");
        }
        if (progress) {
            progress(file.share());
        }
    }
    if (!rest.empty()) {
        take(rest, ++number);
    }
}

Sorted add_sorted(RankRecording& rank, const std::vector<Record>& records,
                  const std::vector<std::vector<std::uint32_t>>& after) {
    std::vector<std::uint32_t> waiting(records.size(), 0);
    std::vector<std::vector<std::uint32_t>> then(records.size());
    for (std::uint32_t i = 0; i < records.size(); ++i) {
        waiting[i] = static_cast<std::uint32_t>(after[i].size());
        for (const std::uint32_t earlier : after[i]) {
            then[earlier].push_back(i);
        }
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < records.size(); ++i) {
        if (waiting[i] == 0) {
            ready.push(i);
        }
    }
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const std::uint32_t next : then[order.back()]) {
            if (--waiting[next] == 0) {
                ready.push(next);
            }
        }
    }
    Sorted sorted;
    if (order.size() < records.size()) {
        const auto stuck = std::find_if(waiting.begin(), waiting.end(), [](std::uint32_t w) { return w > 0; });
        sorted.in_circle = static_cast<std::uint32_t>(stuck - waiting.begin());
        return sorted;
    }
    sorted.place.resize(records.size());
    std::vector<std::uint32_t> waits;
    for (const std::uint32_t i : order) {
        waits.clear();
        for (const std::uint32_t earlier : after[i]) {
            waits.push_back(sorted.place[earlier]);
        }
        sorted.place[i] = rank.add(records[i], waits);
    }
    return sorted;
}

}  // namespace fabricast
