#include "sim/workloads/import/import.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <system_error>

#include "sim/io/place.hpp"
#include "sim/pick_word.hpp"

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 8> format_words = {"auto",     "kineto", "chakra", "pytorch-et",
                                                          "nccl-log", "goal",   "msccl",  "recording"};
constexpr std::size_t peeked_bytes = 65536;
constexpr std::string_view blanks = " \t\r\n\xef\xbb\xbf";
constexpr std::size_t longest_line = std::size_t{1} << 20U;
constexpr std::size_t most_files = 100'000;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& message) {
    throw ScenarioError({std::make_shared<const std::string>(path.string())}, message);
}

// Whether `text` fits a pattern with one kind of wildcard.
bool fits(std::string_view pattern, std::string_view text) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == text;
    }
    if (!text.starts_with(pattern.substr(0, star))) {
        return false;
    }
    for (std::size_t skip = star; skip <= text.size(); ++skip) {
        if (fits(pattern.substr(star + 1), text.substr(skip))) {
            return true;
        }
    }
    return false;
}

// "trace.10.et" after "trace.9.et": runs of digits compare as numbers.
bool natural_less(const std::string& a, const std::string& b) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (digit(a[i]) && digit(b[j])) {
            const auto run = [&](const std::string& s, std::size_t& at) {
                while (at + 1 < s.size() && s[at] == '0' && digit(s[at + 1])) {
                    ++at;
                }
                const std::size_t from = at;
                while (at < s.size() && digit(s[at])) {
                    ++at;
                }
                return s.substr(from, at - from);
            };
            const std::string x = run(a, i), y = run(b, j);
            if (x != y) {
                return x.size() != y.size() ? x.size() < y.size() : x < y;
            }
        } else if (a[i] != b[j]) {
            return a[i] < b[j];
        } else {
            ++i, ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

void import_file(InputFile& file, TraceFormat format, const ImportRequest& request, Recording& recording,
                 const ReadProgress& progress) {
    switch (format) {
        case TraceFormat::kineto:
            return import_kineto(file, recording, progress);
        case TraceFormat::chakra:
            return import_chakra(file, recording, progress);
        case TraceFormat::pytorch_et:
            return import_pytorch_et(file, recording, progress);
        case TraceFormat::nccl_log:
            return import_nccl_log(file, recording, progress);
        case TraceFormat::goal:
            return import_goal(file, recording, progress);
        case TraceFormat::msccl:
            return import_msccl(file, recording, request.size);
        case TraceFormat::automatic:
        case TraceFormat::recording:
            return import_recording(file, recording);
    }
}

// Each rank once, in the order of the ranks.
void order_ranks(Recording& recording) {
    std::stable_sort(recording.ranks.begin(), recording.ranks.end(),
                     [](const RankRecording& a, const RankRecording& b) { return a.rank < b.rank; });
    for (std::size_t i = 1; i < recording.ranks.size(); ++i) {
        const RankRecording &a = recording.ranks[i - 1], &b = recording.ranks[i];
        if (a.rank == b.rank) {
            refuse(b.source, "rank " + std::to_string(b.rank) + " is recorded twice (the other: " + a.source + ")");
        }
    }
}

}  // namespace

std::string_view word(TraceFormat format) { return pick_word(format_words, format); }

std::vector<std::filesystem::path> trace_files(const std::filesystem::path& path) {
    std::error_code error;
    const std::string name = path.filename().string();
    const bool folder = std::filesystem::is_directory(path, error);
    if (!folder && name.find('*') == std::string::npos) {
        return {path};
    }
    const std::filesystem::path in = folder ? path : path.has_parent_path() ? path.parent_path() : ".";
    const std::string pattern = folder ? "*" : name;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator it(in, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        const std::string found = it->path().filename().string();
        const bool hidden = pattern.starts_with('*') && found.starts_with('.');  // .DS_Store, and macOS's ._rank0.json
        if (it->is_regular_file(ignored) && !hidden && fits(pattern, found)) {
            files.push_back(it->path());
        }
        if (files.size() > most_files) {
            refuse(path, "stands for more than " + std::to_string(most_files) + " files");
        }
    }
    if (files.empty()) {
        refuse(path, "no file fits (accepted: a file, a folder of files, or a name with *)");
    }
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return natural_less(a.filename().string(), b.filename().string()); });
    return files;
}

std::optional<std::uint32_t> rank_in_name(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    // Behind "rank" first, else the last number that stands alone between dots, dashes or underlines.
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

std::string_view meaning(TraceFormat format) {
    static constexpr std::array<std::string_view, 8> meanings = {"any of these",
                                                                 "PyTorch profiler",
                                                                 "Chakra execution trace",
                                                                 "PyTorch's ExecutionTraceObserver",
                                                                 "NCCL_DEBUG=INFO with INIT and COLL",
                                                                 "GOAL of LogGOPSim",
                                                                 "MSCCL algorithm",
                                                                 "our own"};
    return pick_word(meanings, format);
}

std::optional<TraceFormat> format_of_text(std::string_view text) {
    text = text.substr(0, peeked_bytes);
    const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
    const std::size_t first = text.find_first_not_of(blanks);
    const char begin = first == std::string_view::npos ? '\0' : text[first];
    const bool json = begin == '{' || begin == '[';
    if (json && has("\"schema\":") && has("\"nodes\":")) {
        return TraceFormat::pytorch_et;
    }
    if (json && (has("\"traceEvents\"") || has("\"ph\""))) {
        return TraceFormat::kineto;
    }
    if (begin == '<' && has("<algo")) {
        return TraceFormat::msccl;
    }
    if (has("NCCL INFO") && (has(": opCount ") || has("commId"))) {
        return TraceFormat::nccl_log;  // its lines may begin with a time in brackets
    }
    if (json) {
        return std::nullopt;
    }
    if (has("num_ranks")) {
        return TraceFormat::goal;
    }
    if (text.starts_with("recording:") || has("\nrecording:")) {
        return TraceFormat::recording;
    }
    // A short GlobalMetadata: its version as field 1, or attributes as field 2.
    const bool chakra = text.size() > 2 && (text[1] == '\x0a' || text[1] == '\x12' || text[2] == '\x12');
    return chakra ? std::optional(TraceFormat::chakra) : std::nullopt;
}

std::optional<TraceFormat> format_of_start(std::string_view text, const std::filesystem::path& file) {
    const std::filesystem::path unpacked = file.extension() == ".gz" ? file.stem() : file;
    if (unpacked.extension() == ".et") {
        return TraceFormat::chakra;
    }
    if (const std::optional<TraceFormat> format = format_of_text(text)) {
        return format;
    }
    const std::size_t first = text.find_first_not_of(blanks);
    const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    return json && text.size() >= peeked_bytes ? std::optional(TraceFormat::kineto) : std::nullopt;
}

TraceFormat guess_format(const std::filesystem::path& path) {
    InputFile file(path);
    const std::string text = read_start(file, peeked_bytes);
    if (const std::optional<TraceFormat> format = format_of_start(text, file.path())) {
        return *format;
    }
    const std::size_t first = text.find_first_not_of(blanks);
    refuse(path, complaint("no trace format is like this file",
                           first == std::string::npos ? "nothing" : shown(text.substr(first, 40)),
                           "kineto, chakra, pytorch-et, nccl-log, goal, msccl, recording"));
}

Recording import_trace(const ImportRequest& request, const ReadProgress& progress) {
    const std::vector<std::filesystem::path> files = trace_files(request.path);
    Recording recording;
    recording.names.emplace_back();  // number 0: no name
    std::uint32_t read = 0;          // files, those of an archive one by one
    for (std::size_t i = 0; i < files.size(); ++i) {
        const TraceFormat format = request.format == TraceFormat::automatic ? guess_format(files[i]) : request.format;
        InputFile file(files[i]);
        const ReadProgress part = [&](double share) {
            if (progress) {
                progress((static_cast<double>(i) + share) / static_cast<double>(files.size()));
            }
        };
        do {
            import_file(file, format, request, recording, part);
            ++read;
        } while (file.next_member());
    }
    if (read > 1) {
        recording.world = std::max(recording.world, read);
    }
    if (recording.world != 0) {
        recording.world = std::max(recording.world, ranks_named(recording));
    }
    order_ranks(recording);
    return recording;
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
    std::string block(peeked_bytes, '\0');
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
            throw ScenarioError({std::make_shared<const std::string>(file.path().string()), number + 1},
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
